package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
        assertThat(resource("/outbox/migration/" + database + "/V1__outbox_event.sql"))
                .isEqualTo(resource("/outbox/schema/" + database + ".sql"))
                .isEqualTo(OutboxSchema.of(database, "outbox_event").ddl());
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
}
