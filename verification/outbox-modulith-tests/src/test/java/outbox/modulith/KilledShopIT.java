package outbox.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** A real process is killed between the commit of its orders and their externalization. */
class KilledShopIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90); // a busy machine is no failure
    private static final int SENT_BEFORE = 5;
    private static final int ORDERS = 40;
    private static final int KILLED = 128 + 9;

    @Test
    void nothingIsLostWhenTheProcessIsKilledBetweenCommitAndExternalization() throws Exception {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        try {
            JdbcTemplate jdbc = new JdbcTemplate(
                    new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()));
            jdbc.execute("CREATE TABLE sent (id VARCHAR(40))");
            jdbc.execute("CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)");

            Process writer = start(database, "--orders=true", "--answers=" + SENT_BEFORE);
            try {
                await().atMost(PATIENCE)
                        .until(() -> alive(writer)
                                && ids(jdbc, "orders").size() >= ORDERS
                                && ids(jdbc, "sent").size() == SENT_BEFORE);
            } finally {
                writer.destroyForcibly(); // kill -9
            }
            assertThat(writer.waitFor()).isEqualTo(KILLED);
            List<String> completed = ids(jdbc, "orders");
            assertThat(ids(jdbc, "sent")).as("committed, and not sent").hasSizeLessThan(completed.size());

            Process heir = start(database, "--answers=1000000");
            try {
                await().atMost(PATIENCE)
                        .until(() -> alive(heir) && ids(jdbc, "sent").containsAll(completed));
                await().atMost(PATIENCE)
                        .until(() -> jdbc.queryForList("SELECT status FROM outbox_event WHERE status <> 1")
                                .isEmpty());
            } finally {
                heir.destroyForcibly();
                heir.waitFor(10, TimeUnit.SECONDS);
            }
            assertThat(ids(jdbc, "sent"))
                    .as("and nothing that was not committed")
                    .isEqualTo(completed);
        } finally {
            database.drop();
        }
    }

    private static boolean alive(Process process) {
        assertThat(process.isAlive()).as("see target/killed-shop.log").isTrue();
        return true;
    }

    private static List<String> ids(JdbcTemplate jdbc, String table) {
        return jdbc.queryForList("SELECT DISTINCT id FROM " + table + " ORDER BY id", String.class);
    }

    private static Process start(TestDatabase database, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                ShopProcess.class.getName(),
                "--spring.main.web-application-type=none",
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.username(),
                "--spring.datasource.password=" + database.password(),
                "--outbox.schema.mode=always",
                "--outbox.dispatch.lease-time=3s",
                "--outbox.poll.interval=200ms"));
        command.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target/killed-shop.log")))
                .start();
    }
}
