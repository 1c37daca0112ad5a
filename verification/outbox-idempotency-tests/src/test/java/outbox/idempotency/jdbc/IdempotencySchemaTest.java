package outbox.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencySchemaTest {
    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    @DisplayName("D7: the schema is what the migrations make")
    void theSchemaIsWhatTheMigrationsMake(String database) throws IOException {
        assertThat(IdempotencySchema.of(database).ddl())
                .isEqualTo(migration(database, "V20261101000002__outbox_consumption") + "\n"
                        + migration(database, "V20261101000003__outbox_idempotency"));
        assertThat(IdempotencySchema.of(database).statements()).hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void theProgressOfHandlersCanHaveAnotherTable(String database) {
        IdempotencySchema schema = IdempotencySchema.of(database, "shop.progress");

        assertThat(schema.ddl())
                .contains("CREATE TABLE shop.progress (")
                .contains("CREATE INDEX progress_state ON shop.progress (")
                .contains("CREATE TABLE outbox_idempotency (")
                .doesNotContain("outbox_consumption");
        assertThat(schema.statements()).hasSize(4);
    }

    private static String migration(String database, String name) throws IOException {
        String resource = "/outbox/idempotency/migration/" + database + "/" + name + ".sql";
        try (InputStream in = IdempotencySchemaTest.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void anUnknownDatabaseNamesTheKnownOnes() {
        assertThatThrownBy(() -> IdempotencySchema.of("oracle"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'oracle'; known are h2, mariadb, mysql, postgresql");
    }
}
