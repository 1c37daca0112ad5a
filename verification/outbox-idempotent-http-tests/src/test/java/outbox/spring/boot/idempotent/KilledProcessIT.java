package outbox.spring.boot.idempotent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.idempotent.Client.isReplayed;

import java.io.File;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** A real process that dies between the work and its answer; another one gets the repeated request. */
class KilledProcessIT {
    private static final String LEASE = "outbox.idempotency.http.lease=1s";

    @TempDir
    Path directory;

    /** The exact promise: with atomic work there is one effect; without, the request runs again. */
    @ParameterizedTest
    @CsvSource({"/bookings, 1", "/separate, 2"})
    void aRequestWhoseProcessDiedRunsAgainWhenItsLeaseHasExpired(String path, int effects) throws Exception {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        String key = UUID.randomUUID().toString();
        String item = MvcShop.DEADLY + UUID.randomUUID();
        String body = "{\"item\":\"" + item + "\"}";
        Process dying = start(database);
        try {
            Client first = new Client(portOf(dying));
            assertThatThrownBy(() -> first.to(path).key(key).json(body)).isInstanceOf(IOException.class);
            assertThat(dying.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(dying.exitValue()).isEqualTo(MvcShop.EXIT);
        } finally {
            dying.destroyForcibly();
        }

        System.setProperty(MvcShop.SURVIVES, "true");
        try (Running shop = Running.start(MvcShop.class, WebApplicationType.SERVLET, database, LEASE)) {
            HttpResponse<String> answer = shop.client.untilAnswered(path, key, body);
            HttpResponse<String> again = shop.client.to(path).key(key).json(body);

            assertThat(answer.statusCode()).isEqualTo(201);
            assertThat(isReplayed(answer)).isFalse();
            assertThat(again.body()).isEqualTo(answer.body());
            assertThat(isReplayed(again)).isTrue();
            assertThat(shop.ledger().count(item)).isEqualTo(effects);
        } finally {
            System.clearProperty(MvcShop.SURVIVES);
        }
    }

    private Process start(TestDatabase database) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        DyingShop.class.getName(),
                        "--port.file=" + directory.resolve("port"),
                        "--server.port=0",
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--outbox.schema.mode=always",
                        "--" + LEASE)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target/dying-shop.log")))
                .start();
    }

    private int portOf(Process process) throws IOException {
        Path port = directory.resolve("port");
        await().atMost(Duration.ofMinutes(5)).until(() -> Files.exists(port) || !process.isAlive());
        assertThat(port).as("see target/dying-shop.log").exists();
        return Integer.parseInt(Files.readString(port));
    }

    /** The lease is renewed while a request runs, and a transaction holds its key without one. */
    @ParameterizedTest
    @CsvSource({"/bookings", "/separate", "/callable"})
    void aSlowRequestKeepsItsKeyForLongerThanTheLease(String path) throws Exception {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        try (Running shop = Running.start(MvcShop.class, WebApplicationType.SERVLET, database, LEASE)) {
            JdbcTemplate jdbc = shop.context.getBean(JdbcTemplate.class);
            String key = UUID.randomUUID().toString();
            String item = UUID.randomUUID().toString();
            String body = "{\"item\":\"" + item + "\"}";
            var entered = shop.ledger().enters(item);
            var hold = shop.ledger().hold(item);
            Thread first = new Thread(() -> {
                try {
                    shop.client.to(path).key(key).json(body);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            first.start();
            try {
                entered.await();
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> Boolean.TRUE.equals(jdbc.queryForObject(
                                "SELECT created_at + INTERVAL '3' SECOND < now() FROM outbox_idempotency WHERE idempotency_key = ?",
                                Boolean.class,
                                key)));
                assertThat(shop.client.to(path).key(key).json(body).statusCode())
                        .isEqualTo(409);
            } finally {
                hold.countDown();
                first.join();
            }
            assertThat(isReplayed(shop.client.untilAnswered(path, key, body))).isTrue();
            assertThat(shop.ledger().count(item)).isEqualTo(1);
        }
    }

    @Test
    void thePurgeDeletesExpiredAnswers() throws Exception {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        try (Running shop = Running.start(
                MvcShop.class,
                WebApplicationType.SERVLET,
                database,
                LEASE,
                "outbox.idempotency.http.ttl=1ms",
                "outbox.purge.interval=1s")) {
            JdbcTemplate jdbc = shop.context.getBean(JdbcTemplate.class);
            shop.client.to("/bookings").key("short").json("{\"item\":\"one\"}");
            shop.client.to("/by-body").json("{\"item\":\"kept for two days\"}");
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(
                                    jdbc.queryForList("SELECT idempotency_key FROM outbox_idempotency", String.class))
                            .containsExactly("kept for two days"));
        }
    }
}
