package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.UnitOfWork;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** A database that does not answer does not hold the engine for ever, on any driver and without a setting in its URL. */
class NetworkTimeoutIT {
    private static final int FORMER_MILLIS = 123_000;

    private @Nullable TestDatabase database;

    private DataSource dataSource(Supplier<DatabaseServer> server) {
        database = server.get().freshDatabase();
        return database.dataSource();
    }

    @AfterEach
    void dropDatabase() {
        Objects.requireNonNull(database).drop();
    }

    static Stream<Arguments> servers() {
        return Stream.of(
                Arguments.of("postgresql", (Supplier<DatabaseServer>) EmbeddedPostgres::shared, "SELECT pg_sleep(600)"),
                Arguments.of("mysql", (Supplier<DatabaseServer>) EmbeddedMySql::shared, "SELECT SLEEP(600)"),
                Arguments.of("mariadb", (Supplier<DatabaseServer>) EmbeddedMariaDb::shared, "SELECT SLEEP(600)"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("servers")
    void aStatementThatIsNotAnsweredFails(String name, Supplier<DatabaseServer> server, String sleep) {
        ConnectionProvider connections = dataSource(server)::getConnection;
        assertThatThrownBy(() -> UnitOfWork.single(
                        connections.withNetworkTimeout(Duration.ofMillis(300)), conn -> execute(conn, sleep)))
                .isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> UnitOfWork.run(
                        connections.withNetworkTimeout(Duration.ofMillis(300)), conn -> execute(conn, sleep)))
                .isInstanceOf(SQLException.class);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("servers")
    void aConnectionGoesBackWithTheTimeoutItCameWith(String name, Supplier<DatabaseServer> server, String sleep)
            throws SQLException {
        List<Integer> during = new ArrayList<>();
        try (Connection pooled = dataSource(server).getConnection()) {
            pooled.setNetworkTimeout(Runnable::run, FORMER_MILLIS);
            ConnectionProvider pool = () -> notClosed(pooled);
            UnitOfWork.single(pool.withNetworkTimeout(Duration.ofSeconds(20)), conn -> during.add(timeoutOf(conn)));
            UnitOfWork.run(pool.withNetworkTimeout(Duration.ofSeconds(20)), conn -> during.add(timeoutOf(conn)));
            assertThatThrownBy(() -> UnitOfWork.run(
                            pool.withNetworkTimeout(Duration.ofSeconds(20)), conn -> execute(conn, "no statement")))
                    .isInstanceOf(SQLException.class);
            assertThat(pooled.getNetworkTimeout()).isEqualTo(FORMER_MILLIS);
            UnitOfWork.single(pool.withNetworkTimeout(Duration.ofHours(1)), conn -> during.add(timeoutOf(conn)));
        }
        assertThat(during).as("a shorter one stays").containsExactly(20_000, 20_000, FORMER_MILLIS);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("servers")
    void noStatementOfANodeIsUnbounded(String name, Supplier<DatabaseServer> server, String sleep) throws SQLException {
        DataSource plain = dataSource(server);
        AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(plain);
        try (Connection conn = plain.getConnection()) {
            store.schema().apply(conn);
            store.insertBatch(
                    conn,
                    Stream.generate(() -> EventEnvelope.ofJson("Happened", "{}"))
                            .limit(10)
                            .toList());
        }
        Set<String> bounded = ConcurrentHashMap.newKeySet();
        Set<String> unbounded = ConcurrentHashMap.newKeySet();
        DataSource watched = watched(plain, (sql, millis) -> (millis > 0 ? bounded : unbounded).add(sql));
        CountDownLatch held = new CountDownLatch(1);
        try (Outbox outbox = JdbcOutbox.multiNode(watched, store)
                .listeners(new DefaultListenerRegistry().register("Happened", event -> {
                    if (!held.await(60, TimeUnit.SECONDS)) {
                        throw new IllegalStateException("no lease was renewed");
                    }
                }))
                .leaseTime(Duration.ofSeconds(3))
                .pollInterval(Duration.ofMillis(50))
                .build()
                .start()) {
            await().atMost(60, TimeUnit.SECONDS).until(() -> bounded.stream().anyMatch(NetworkTimeoutIT::isRenewal));
            held.countDown();
            await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
                try (Connection conn = plain.getConnection()) {
                    assertThat(JdbcTemplate.query(
                                    conn, "SELECT 1 FROM outbox_event WHERE status <> 1", bind -> {}, row -> 1))
                            .isEmpty();
                }
            });
        }
        assertThat(unbounded).isEmpty();
    }

    /** It writes the time of the lease, and not its owner. */
    private static boolean isRenewal(String sql) {
        return sql.startsWith("UPDATE") && sql.contains("SET locked_at");
    }

    private static DataSource watched(DataSource dataSource, ObjIntConsumer<String> prepared) {
        return proxy(
                DataSource.class,
                dataSource,
                (name, args, result) -> name.equals("getConnection")
                        ? proxy(Connection.class, (Connection) result, (called, with, made) -> {
                            if (called.equals("prepareStatement")) {
                                prepared.accept(
                                        (String) with[0],
                                        ((Statement) made).getConnection().getNetworkTimeout());
                            }
                            return made;
                        })
                        : result);
    }

    private interface After {
        @Nullable
        Object call(String name, Object[] args, Object result) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T real, After after) {
        return type.cast(Proxy.newProxyInstance(
                NetworkTimeoutIT.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    try {
                        return after.call(method.getName(), args, method.invoke(real, args));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static int timeoutOf(Connection conn) throws SQLException {
        return conn.getNetworkTimeout();
    }

    private static boolean execute(Connection conn, String sql) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            return statement.execute(sql);
        }
    }

    private static Connection notClosed(Connection conn) {
        return (Connection) Proxy.newProxyInstance(
                NetworkTimeoutIT.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    try {
                        return method.getName().equals("close") ? null : method.invoke(conn, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
