package outbox.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.domain.TxMode;
import outbox.idempotency.Database;
import outbox.idempotency.jdbc.TransactionalHandlerContract.MoneyMoved;
import outbox.testing.server.EmbeddedPostgres;

/** Real processes that end without a farewell, one after the other, until all is consumed. */
class KilledConsumerIT {
    private static final int EVENTS = 40;
    private static final int MOST_PROCESSES = 20;

    @Test
    void theEffectHappensExactlyOnceAlthoughProcessAfterProcessIsKilled() throws Exception {
        try (Database database = new Database(EmbeddedPostgres.shared(), 2)) {
            List<MoneyMoved> events =
                    IntStream.range(0, EVENTS).mapToObj(MoneyMoved::new).toList();
            database.transactions.run(TxMode.REQUIRED, () -> {
                database.publisher.publishAll(events);
                return EVENTS;
            });

            int crashes = 0;
            while (runConsumer(database, 1 + crashes % 7, crashes % 2 == 0) != 0) {
                crashes++;
                assertThat(crashes).isLessThan(MOST_PROCESSES);
            }

            assertThat(crashes).isGreaterThan(8);
            assertThat(database.effects())
                    .isEqualTo(IntStream.range(0, EVENTS)
                            .mapToObj(i -> "effect-" + i)
                            .sorted()
                            .toList());
        }
    }

    private static int runConsumer(Database database, int crashAt, boolean afterCommit) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ConsumerProcess.class.getName(),
                        database.database.jdbcUrl(),
                        database.database.username(),
                        Integer.toString(crashAt),
                        Boolean.toString(afterCommit))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target/killed-consumer.log")))
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the consumer hangs; see target/killed-consumer.log");
        }
        assertThat(process.exitValue()).isIn(0, 42);
        return process.exitValue();
    }
}
