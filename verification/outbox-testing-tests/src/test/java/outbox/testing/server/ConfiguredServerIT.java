package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConfiguredServerIT {

    private static final String PREFIX = "outbox.test.postgres";

    @AfterEach
    void clearProperties() {
        System.clearProperty(PREFIX + ".url");
        System.clearProperty(PREFIX + ".user");
        System.clearProperty(PREFIX + ".password");
    }

    @Test
    void aServerNamedByPropertiesIsUsed() throws SQLException {
        try (EmbeddedServer running = EmbeddedPostgres.start(ServerOptions.defaults())) {
            System.setProperty(PREFIX + ".url", running.jdbcUrl("postgres") + "?ApplicationName=mine");
            System.setProperty(PREFIX + ".user", running.username());
            System.setProperty(PREFIX + ".password", running.password());

            DatabaseServer configured =
                    ConfiguredServer.find(DatabaseKind.POSTGRESQL).orElseThrow();
            TestDatabase database = configured.freshDatabase();

            assertThat(configured.version()).isEqualTo(running.version());
            assertThat(database.jdbcUrl()).isEqualTo(running.jdbcUrl(database.name()) + "?ApplicationName=mine");
            assertThat(EmbeddedServerContract.queryString(database, "SELECT current_database()"))
                    .isEqualTo(database.name());
            assertThat(EmbeddedServerContract.queryString(database, "SHOW application_name"))
                    .isEqualTo("mine");
        }
    }

    @Test
    void nothingIsUsedWhenNothingIsNamed() {
        assertThat(ConfiguredServer.find(DatabaseKind.POSTGRESQL)).isEmpty();
    }

    @Test
    void aUrlWithoutDatabaseIsEnough() {
        System.setProperty(PREFIX + ".url", "jdbc:postgresql://db.example:5433");

        assertThat(ConfiguredServer.find(DatabaseKind.POSTGRESQL).orElseThrow().jdbcUrl("orders"))
                .isEqualTo("jdbc:postgresql://db.example:5433/orders");
    }

    @Test
    void aUrlOfAnotherDatabaseIsRefusedByName() {
        System.setProperty(PREFIX + ".url", "jdbc:mysql://db.example/test");

        assertThatThrownBy(() -> ConfiguredServer.find(DatabaseKind.POSTGRESQL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("outbox.test.postgres.url")
                .hasMessageContaining("OUTBOX_TEST_POSTGRES_URL")
                .hasMessageContaining("jdbc:mysql://db.example/test");
    }

    @Test
    void environmentVariablesReachTheSharedServer() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                PrintSharedServer.class.getName());
        builder.environment().put("OUTBOX_TEST_POSTGRES_URL", "jdbc:postgresql://db.example/x?ssl=true");
        builder.environment().put("OUTBOX_TEST_POSTGRES_USER", "ann");
        builder.environment().put("OUTBOX_TEST_POSTGRES_PASSWORD", "secret");
        Process jvm = builder.start();

        String printed = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(printed.lines()).containsExactly("jdbc:postgresql://db.example/orders?ssl=true", "ann", "secret");
    }

    static final class PrintSharedServer {

        public static void main(String[] arguments) {
            DatabaseServer server = EmbeddedPostgres.shared();
            System.out.println(server.jdbcUrl("orders"));
            System.out.println(server.username());
            System.out.println(server.password());
        }
    }
}
