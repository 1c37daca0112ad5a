package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxSchemaTest {
    private static final List<String> COLUMNS = List.of(
            "event_id VARCHAR(36)",
            "event_type VARCHAR(128) NOT NULL",
            "aggregate_type VARCHAR(64)",
            "aggregate_id VARCHAR(128)",
            "tenant_id VARCHAR(64)",
            "payload JSON",
            "headers JSON",
            "status ",
            "attempts INT",
            "available_at ",
            "created_at ",
            "done_at ",
            "last_error TEXT",
            "locked_by VARCHAR(128)",
            "locked_at ");

    private static String resource(String name) throws IOException {
        try (InputStream in = OutboxSchema.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "mysql", "mariadb", "postgresql"})
    void theMigrationIsTheSchema(String database) throws IOException {
        assertThat(resource("/outbox/migration/" + database + "/V20261101000001__outbox_event.sql"))
                .isEqualTo(resource("/outbox/schema/" + database + ".sql"))
                .isEqualTo(OutboxSchema.of(database, "outbox_event").ddl());
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "mysql", "mariadb", "postgresql"})
    void theMigrationsOfOrderAndLeasesAreTheirSchemas(String database) throws IOException {
        assertThat(resource("/outbox/migration/ordered-" + database + "/V20261101000008__outbox_event_seq.sql"))
                .isEqualTo(resource("/outbox/schema/" + database + "-ordered.sql"));
        assertThat(resource("/outbox/migration/" + database + "/V20261101000007__outbox_lease.sql"))
                .isEqualTo(resource("/outbox/schema/lease.sql"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "mysql", "mariadb", "postgresql"})
    void theColumnsAreThoseOfTheSpecificationInItsOrder(String database) {
        String create = OutboxSchema.of(database, "outbox_event").statements().get(0);
        assertThat(create).startsWith("CREATE TABLE outbox_event (").containsSubsequence(COLUMNS);
        String columns = create.substring(create.indexOf('(') + 1, create.indexOf("\n)"));
        assertThat(columns.strip().split("\n")).hasSize(COLUMNS.size());
    }

    @Test
    void anotherNameReachesTableAndIndexes() {
        OutboxSchema schema = OutboxSchema.of("postgresql", "sales.orders_out");
        assertThat(schema.ddl()).doesNotContain("outbox_event");
        assertThat(schema.statements())
                .anyMatch(sql -> sql.startsWith("CREATE TABLE sales.orders_out ("))
                .anyMatch(sql -> sql.startsWith("CREATE INDEX orders_out_pending ON sales.orders_out ("));
    }

    @Test
    void indexesOfALongTableNameDoNotCollide() {
        List<String> indexes = OutboxSchema.of("postgresql", "t".repeat(63)).statements().stream()
                .filter(sql -> sql.startsWith("CREATE INDEX "))
                .map(sql -> sql.split(" ", 4)[2])
                .toList();
        assertThat(indexes).hasSizeGreaterThan(1).doesNotHaveDuplicates().allMatch(name -> name.length() <= 63);
    }

    @Test
    void badNamesAreRefused() {
        assertThatThrownBy(() -> OutboxSchema.of("h2", "x; DROP TABLE y")).hasMessageContaining("x; DROP TABLE y");
        assertThatThrownBy(() -> OutboxSchema.of("oracle", "outbox_event"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("oracle");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb", "postgresql"})
    void thePartitionedTableHasTheSameColumnsAndKey(String database) throws IOException {
        String plain = OutboxSchema.of(database, "outbox_event").statements().get(0);
        String days = OutboxSchema.of(database + "-partitioned", "outbox_event")
                .statements()
                .get(0);
        assertThat(days.substring(0, days.indexOf("\n)"))).isEqualTo(plain.substring(0, plain.indexOf("\n)")));
        assertThat(days).contains("PARTITION BY RANGE");
        assertThat(resource("/outbox/migration/partitioned-" + database + "/V20261101000001__outbox_event.sql"))
                .isEqualTo(resource("/outbox/schema/" + database + "-partitioned.sql"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "mysql", "mariadb", "postgresql"})
    void theArchiveHasTheColumnsOfTheTable(String database) {
        String table = OutboxSchema.of(database, "outbox_event").statements().get(0);
        String archive = OutboxSchema.of(database + "-archive", "outbox_event")
                .statements()
                .get(0);
        assertThat(archive.substring(0, archive.indexOf("\n)"))).isEqualTo(table.substring(0, table.indexOf("\n)")));
    }

    @Test
    void theDefaultPartitionIsInTheSchemaOfItsTable() {
        assertThat(OutboxSchema.of("postgresql-partitioned", "sales.orders_out").statements())
                .anyMatch(sql -> sql.startsWith("CREATE TABLE sales.orders_out_default PARTITION OF sales.orders_out"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox_event_v2", "outbox_event_eu", "tenants.outbox_event_", "sales.outbox_event"})
    void aNameThatBeginsLikeTheDefaultOneIsPutInOnce(String table) {
        String bare = table.substring(table.indexOf('.') + 1);
        assertThat(OutboxSchema.of("postgresql-partitioned", table).statements())
                .anyMatch(sql -> sql.startsWith("CREATE TABLE " + table + " ("))
                .anyMatch(sql -> sql.startsWith("CREATE INDEX " + bare + "_pending ON " + table + " ("))
                .anyMatch(sql -> sql.startsWith("CREATE TABLE " + table + "_default PARTITION OF " + table + " "));
    }

    /** A copy that nothing compares with its source would drift apart from it. */
    @Test
    void everyMigrationIsACopyOfASchemaFile() throws IOException {
        Path resources = Path.of("..", "..", "engine", "outbox-jdbc", "src", "main", "resources", "outbox")
                .toRealPath();
        List<String> schemas = texts(resources.resolve("schema"));
        List<String> migrations = texts(resources.resolve("migration"));
        assertThat(migrations).hasSizeGreaterThan(15);
        assertThat(schemas).containsAll(migrations);
    }

    private static List<String> texts(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<String> texts = new ArrayList<>();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                texts.add(Files.readString(file));
            }
            return texts;
        }
    }

    /** The one list of columns is what the DDL of every database creates. */
    @ParameterizedTest
    @ValueSource(strings = {"h2", "mysql", "mariadb", "postgresql"})
    void theColumnsOfTheTableAreThoseThatStatementsUse(String database) {
        String create = OutboxSchema.of(database, "outbox_event").statements().get(0);
        String columns = create.substring(create.indexOf('(') + 1, create.indexOf("\n)"));
        assertThat(columns.strip().lines().map(line -> line.strip().split(" ", 2)[0]))
                .containsExactlyElementsOf(EventTable.COLUMNS);
    }

    /** Tools that run a file cut it at each of them, comments included. */
    @Test
    void noCommentOfAnySqlFileHoldsASemicolon() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(Path.of("..", "..").toRealPath())) {
            files = all.filter(file ->
                            file.toString().endsWith(".sql") && !file.toString().contains("/target/"))
                    .toList();
        }
        assertThat(files).as("files of all modules").hasSizeGreaterThan(40);
        for (Path file : files) {
            assertThat(Files.readAllLines(file))
                    .as(file.toString())
                    .noneMatch(line -> line.contains("--")
                            && line.substring(line.indexOf("--")).contains(";"));
            assertThat(Files.readString(file)).as(file.toString()).doesNotContain("/*");
        }
    }
}
