package outbox.node.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.control.ControlCenter;
import outbox.jdbc.OutboxSchema;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** The files of the control center's tables, on every database. */
class SchemaFileIT {
    private static final int NODES = 8;
    private static final int ROUNDS = 5;

    static Stream<DatabaseServer> databases() {
        return Stream.of(
                EmbeddedH2.shared(), EmbeddedPostgres.shared(), EmbeddedMySql.shared(), EmbeddedMariaDb.shared());
    }

    private static List<SchemaFile> schemas(TestDatabase database) {
        String name = Flavor.detect(database.dataSource()).database();
        return List.of(SchemaFile.ofNodes(name), ControlCenter.schema(name));
    }

    /** As an administrator would who got them from the jar: split at semicolons, nothing replaced. */
    @ParameterizedTest
    @MethodSource("databases")
    void theShippedFilesRunAsTheyAre(DatabaseServer server) throws Exception {
        TestDatabase database = server.freshDatabase();
        for (SchemaFile schema : schemas(database)) {
            assertThat(schema.missing(database.dataSource())).isNotEmpty();
            try (InputStream file = SchemaFile.class.getResourceAsStream("/" + schema.file());
                    Connection conn = database.dataSource().getConnection();
                    Statement statement = conn.createStatement()) {
                String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
                for (String sql : text.split(";", -1)) {
                    if (!sql.isBlank()) {
                        statement.execute(sql);
                    }
                }
            }
            assertThat(schema.missing(database.dataSource())).isEmpty();
            schema.apply(database.dataSource());
        }
        database.drop();
    }

    /** Most databases commit each of these statements by itself, so a table can be there without its rows and indexes. */
    @ParameterizedTest
    @MethodSource("databases")
    void whatANodeLeftUndoneThatWasKilledIsDoneAtTheNextStart(DatabaseServer server) throws Exception {
        for (SchemaFile schema : schemas(server.freshDatabase())) {
            List<String> statements = Arrays.stream(
                            schema.ddl().replaceAll("(?m)^--.*$", "").split(";", -1))
                    .map(String::strip)
                    .filter(sql -> !sql.isEmpty())
                    .toList();
            TestDatabase database = server.freshDatabase();
            try (Connection conn = database.dataSource().getConnection();
                    Statement statement = conn.createStatement()) {
                for (String sql : statements) {
                    if (sql.contains("CREATE TABLE")) {
                        statement.execute(sql);
                    }
                }
                schema.apply(database.dataSource());

                assertThat(OutboxSchema.missingIndexes(conn, statements)).isEmpty();
                for (String sql : statements) {
                    if (sql.contains("INSERT INTO ")) {
                        String table = sql.substring(sql.indexOf("INTO ") + 5).split(" ", -1)[0];
                        try (ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
                            rows.next();
                            assertThat(rows.getInt(1)).as(table).isEqualTo(1);
                        }
                    }
                }
            }
            database.drop();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void nodesThatStartAtOnceAllFindTheTables(DatabaseServer server) throws Exception {
        ExecutorService nodes = Executors.newFixedThreadPool(NODES);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                TestDatabase database = server.freshDatabase();
                List<SchemaFile> schemas = schemas(database);
                CyclicBarrier together = new CyclicBarrier(NODES);
                List<Future<?>> starts = new ArrayList<>();
                for (int i = 0; i < NODES; i++) {
                    starts.add(nodes.submit(() -> {
                        together.await();
                        for (SchemaFile schema : schemas) {
                            schema.apply(database.dataSource());
                        }
                        return null;
                    }));
                }
                for (Future<?> start : starts) {
                    start.get();
                }
                for (SchemaFile schema : schemas) {
                    assertThat(schema.missing(database.dataSource())).isEmpty();
                }
                database.drop();
            }
        } finally {
            nodes.shutdownNow();
        }
    }
}
