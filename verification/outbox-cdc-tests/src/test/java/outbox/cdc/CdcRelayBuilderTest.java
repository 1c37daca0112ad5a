package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
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
    @ValueSource(strings = {"postgresql", "mysql", "mariadb"})
    void aServerThatTakesAConnectionAndSaysNothingIsGivenUp(String kind) throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            DatabaseAddress address =
                    DatabaseAddress.of("jdbc:" + kind + "://127.0.0.1:" + silent.getLocalPort() + "/shop", "a", "b");
            assertTimeoutPreemptively(
                    Duration.ofMinutes(3),
                    () -> assertThatThrownBy(address::connect).isInstanceOf(SQLException.class));
        }
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
    void aUrlThatIsRefusedDoesNotGiveItsPasswordAway() {
        assertThatThrownBy(() -> CdcRelay.reading("jdbc:mysql://reader:hid?den@db/shop", "a", "b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the log of jdbc:mysql:")
                .hasMessageNotContaining("hid");
    }

    @Test
    void aPlaceInMariaDbsLogIsComparedByItsTransactions() {
        BinlogPosition place =
                BinlogPosition.parse("{\"file\":\"binlog.000007\",\"pos\":42,\"gtids\":\"0-1-100,3-2-5\"}");
        assertThat(place).isEqualTo(new BinlogPosition("binlog.000007", 42, -1, "0-1-100,3-2-5"));
        assertThat(place.isBefore("0-9-100,3-2-4")).isFalse();
        assertThat(place.isBefore("")).isFalse();
        assertThat(place.isBefore("0-1-101")).isTrue();
        assertThat(place.isBefore("0-1-1,8-1-1")).isTrue();
        assertThat(BinlogPosition.parse("{}")).isNull();
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
    void everyRunHasBeansOfItsOwnInJmx() {
        CdcRelayBuilder builder = builder().debezium("custom.metric.tags", "team=orders");
        String first = builder.configuration(Map.of()).get("custom.metric.tags");
        assertThat(first).matches("team=orders,run=\\d+");
        assertThat(builder.configuration(Map.of()).get("custom.metric.tags")).isNotEqualTo(first);
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
                "/outbox/cdc/migration/" + database + "/V20261101000004__outbox_cdc.sql")) {
            assertThat(CdcSchema.of(database).ddl())
                    .isEqualTo(new String(migration.readAllBytes(), StandardCharsets.UTF_8));
        }
        assertThat(CdcSchema.of(database).statements()).hasSize(database.equals("postgresql") ? 2 : 3);
    }
}
