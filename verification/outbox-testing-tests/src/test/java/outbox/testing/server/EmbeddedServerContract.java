package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every embedded server promises; one subclass per database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EmbeddedServerContract {

    private EmbeddedServer server;

    abstract EmbeddedServer start(ServerOptions options);

    abstract ServerProgram program();

    abstract DatabaseServer shared();

    /** A setting of the server together with a value it does not have by default. */
    abstract ServerOptions unusualSetting();

    abstract String queryOfUnusualSetting();

    abstract String valueOfUnusualSetting();

    /** A setting without which the server cannot start. */
    abstract ServerOptions impossibleSetting();

    @BeforeAll
    void startServer() {
        server = start(unusualSetting());
    }

    @AfterAll
    void closeServer() {
        if (server != null) {
            server.close();
        }
    }

    EmbeddedServer server() {
        return server;
    }

    @Test
    void aFreshDatabaseAnswers() throws SQLException {
        TestDatabase database = server.freshDatabase();

        assertThat(queryString(database, "SELECT 42")).isEqualTo("42");
        assertThat(database.jdbcUrl()).startsWith("jdbc:" + server.name() + "://127.0.0.1:" + server.port() + "/");
    }

    @Test
    void extraSettingsReachTheServer() throws SQLException {
        assertThat(queryString(server.freshDatabase(), queryOfUnusualSetting())).isEqualTo(valueOfUnusualSetting());
    }

    @Test
    void freshDatabasesAreIsolated() throws SQLException {
        TestDatabase one = server.freshDatabase();
        TestDatabase other = server.freshDatabase();

        execute(one, "CREATE TABLE t (id INT PRIMARY KEY)");
        execute(other, "CREATE TABLE t (id INT PRIMARY KEY)");
        execute(one, "INSERT INTO t VALUES (1)");

        assertThat(queryString(other, "SELECT COUNT(*) FROM t")).isEqualTo("0");
    }

    @Test
    void aDroppedDatabaseIsGone() {
        TestDatabase database = server.freshDatabase();

        database.drop();

        assertThatThrownBy(() -> queryString(database, "SELECT 1")).isInstanceOf(SQLException.class);
    }

    @Test
    void textOfAllLanguagesIsStored() throws SQLException {
        TestDatabase database = server.freshDatabase();

        execute(database, "CREATE TABLE t (s VARCHAR(40))");
        execute(database, "INSERT INTO t VALUES ('Grüße, 世界 😀')");

        assertThat(queryString(database, "SELECT s FROM t")).isEqualTo("Grüße, 世界 😀");
    }

    @Test
    void immediateRestartKeepsCommittedDataAndPort() throws SQLException {
        TestDatabase database = server.freshDatabase();
        execute(database, "CREATE TABLE t (id INT PRIMARY KEY)");
        int port = server.port();

        for (int round = 1; round <= 3; round++) {
            long pid = server.pid();
            execute(database, "INSERT INTO t VALUES (" + round + ")");
            Connection unfinished = insertWithoutCommit(database, 1000 * round);
            server.restart();
            abandon(unfinished);
            assertThat(server.port()).isEqualTo(port);
            assertThat(server.pid()).isNotEqualTo(pid);
            assertThat(queryString(database, "SELECT MAX(id) FROM t")).isEqualTo(Integer.toString(round));
        }
    }

    @Test
    void aKilledServerIsDownUntilItIsStarted() throws SQLException {
        TestDatabase database = server.freshDatabase();

        server.kill();
        assertThat(server.isRunning()).isFalse();
        assertThatThrownBy(() -> queryString(database, "SELECT 1")).isInstanceOf(SQLException.class);
        server.start();

        assertThat(queryString(database, "SELECT 1")).isEqualTo("1");
    }

    @Test
    void stoppingDoesNotWaitForClients() throws SQLException {
        TestDatabase database = server.freshDatabase();
        Connection client = database.dataSource().getConnection();

        server.stop();
        assertThat(server.isRunning()).isFalse();
        abandon(client);

        server.start();

        assertThat(queryString(database, "SELECT 1")).isEqualTo("1");
    }

    @Test
    void itListensOnLoopbackOnly() throws Exception {
        List<Integer> listening = listeningOutsideLoopback(server.port());

        assertThat(listening).isEmpty();
    }

    @Test
    void closingRemovesProcessAndDirectory() {
        EmbeddedServer own = start(ServerOptions.defaults());
        long pid = own.pid();
        Path directory = own.directory();
        assertThat(ProcessHandle.of(pid)).isPresent();
        assertThat(directory).isDirectory();

        own.close();
        own.close();

        assertThat(ProcessHandle.of(pid)).isEmpty();
        assertThat(directory).doesNotExist();
        assertThatThrownBy(own::start).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }

    @Test
    void aTakenPortIsLeftToItsOwner() throws SQLException {
        Iterator<Integer> ports = List.of(server.port(), FreePort.find()).iterator();

        try (EmbeddedServer other = EmbeddedServer.launch(program(), ServerOptions.defaults(), ports::next)) {
            assertThat(other.port()).isNotEqualTo(server.port());
            assertThat(other.pid()).isNotEqualTo(server.pid());
            assertThat(queryString(other.freshDatabase(), "SELECT 1")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @EnumSource(ServerInAnotherJvm.End.class)
    void theServerOutlivesTheShutdownHooksOfItsJvmAndNotTheJvm(ServerInAnotherJvm.End end) throws Exception {
        ServerInAnotherJvm other = ServerInAnotherJvm.start(server.name());
        assertThat(ProcessHandle.of(other.serverPid())).isPresent();
        assertThat(other.directory()).isDirectory();

        other.end(end);

        if (end != ServerInAnotherJvm.End.KILL) {
            assertThat(other.lastWords()).isEqualTo("closed in order");
        }
        await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            assertThat(ProcessHandle.of(other.serverPid())).isEmpty();
            assertThat(other.directory()).doesNotExist();
        });
    }

    @Test
    void theSharedServerIsStartedOnceForAllThreads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Callable<DatabaseServer> ask = this::shared;
            List<Future<DatabaseServer>> answers = threads.invokeAll(List.of(ask, ask, ask, ask));
            for (Future<DatabaseServer> answer : answers) {
                assertThat(answer.get()).isSameAs(shared());
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(queryString(shared().freshDatabase(), "SELECT 1")).isEqualTo("1");
    }

    /** JUnit closes the arguments of parameterized tests that are AutoCloseable. */
    @Test
    void theSharedServerOutlivesATestItIsAnArgumentOf() {
        assertThat(shared()).isNotInstanceOf(AutoCloseable.class);
    }

    @Test
    void aServerThatCannotStartSaysWhyAndLeavesNoProcess() {
        Set<ProcessHandle> before = descendants();

        assertThatThrownBy(() -> start(impossibleSetting()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Its log ends with")
                .hasMessageContaining("no_such_setting");

        await().atMost(Duration.ofSeconds(30)).until(() -> before.containsAll(descendants()));
    }

    private static Set<ProcessHandle> descendants() {
        return ProcessHandle.current().descendants().collect(Collectors.toSet());
    }

    @Test
    void aServerThatIsTooSlowIsGivenUpWithItsLog() {
        assertThatThrownBy(() -> start(ServerOptions.defaults().withStartTimeout(Duration.ofMillis(1))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("within")
                .hasMessageContaining("log ends with");
    }

    private static Connection insertWithoutCommit(TestDatabase database, int id) throws SQLException {
        Connection connection = database.dataSource().getConnection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t VALUES (" + id + ")");
        }
        return connection;
    }

    private static void abandon(Connection broken) {
        try {
            broken.close();
        } catch (SQLException e) {
            // Its server has crashed; the driver may well complain.
        }
    }

    static String queryString(TestDatabase database, String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    static void execute(TestDatabase database, String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<Integer> listeningOutsideLoopback(int port) throws Exception {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .filter(address -> accepts(new InetSocketAddress(address, port)))
                .map(address -> port)
                .toList();
    }

    private static boolean accepts(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
