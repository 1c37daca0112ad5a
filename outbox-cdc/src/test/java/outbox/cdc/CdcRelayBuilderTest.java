package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CdcRelayBuilderTest {
    private static CdcRelayBuilder builder() {
        return CdcRelay.reading("jdbc:postgresql://db:5433/shop?ssl=true", "reader", "secret");
    }

    @Test
    void theAddressIsTakenFromTheUrl() {
        Map<String, String> configuration = builder().configuration(Map.of());
        assertThat(configuration)
                .containsEntry("database.hostname", "db")
                .containsEntry("database.port", "5433")
                .containsEntry("database.dbname", "shop")
                .containsEntry("database.user", "reader");
        assertThat(DatabaseAddress.of("jdbc:mysql://db/shop", "a", "b").port()).isEqualTo(3306);
        assertThat(builder().address.toString()).doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:h2:mem:x", "jdbc:postgresql://a,b/shop", "jdbc:postgresql:shop", "jdbc:mysql://db/"})
    void aUrlThatHasNoLogToReadIsRefused(String url) {
        assertThatThrownBy(() -> CdcRelay.reading(url + "?password=hidden", "a", "b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one host and one database")
                .hasMessageNotContaining("hidden");
    }

    @Test
    void aNameMustSuitASlot() {
        assertThatThrownBy(() -> builder().name("Orders-CDC"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'Orders-CDC'");
    }

    @Test
    void settingsThatPromisesRestOnAreNotForSale() {
        assertThatThrownBy(() -> builder().debezium("offset.storage", "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("offset.storage is set by the relay itself");
        assertThat(builder().debezium("database.sslmode", "require").configuration(Map.of()))
                .containsEntry("database.sslmode", "require");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> builder().build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("listeners is not set");
        assertThatThrownBy(() -> builder().heartbeat(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder().batchSize(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "mysql", "mariadb"})
    void theSchemaIsWhatTheMigrationMakes(String database) throws IOException {
        try (InputStream migration = CdcRelayBuilderTest.class.getResourceAsStream(
                "/outbox/cdc/migration/" + database + "/V1__outbox_cdc.sql")) {
            assertThat(CdcSchema.of(database).ddl())
                    .isEqualTo(new String(migration.readAllBytes(), StandardCharsets.UTF_8));
        }
        assertThat(CdcSchema.of(database).statements()).hasSize(database.equals("postgresql") ? 2 : 3);
    }
}
