package outbox.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs the demo as a user does, in a JVM of its own, and reads what he reads. */
class DemoTest {
    @Test
    void tellsTheWholeStoryAndEndsByItself() throws Exception {
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Demo.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(demo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(demo.exitValue()).as(output).isZero();
        assertThat(output)
                .containsSubsequence(
                        "1. One transaction",
                        "warehouse reserves the goods of order 1001",
                        "marked DONE",
                        "2. A rollback",
                        "rolls back: card declined",
                        "Orders with number 1002: 0. Events about it: 0.",
                        "3. The process dies",
                        "warehouse reserves the goods of order 1003",
                        "4. A listener fails and is retried",
                        "mail      cannot reach its server and throws",
                        "mail      cannot reach its server and throws",
                        "mail      sends the receipt of order 1004",
                        "5. A listener fails too often",
                        "bank      refuses order 1005 and throws",
                        "bank      refuses order 1005 and throws",
                        "bank      refuses order 1005 and throws",
                        "operator  finds PaymentDue of order 1005 among 1 dead letter(s)",
                        "6. The cause is fixed",
                        "bank      charges order 1005",
                        "Replayed 1, dead letters left: 0.",
                        "   1001    OrderPlaced  DONE    0",
                        "   1003    OrderPlaced  DONE    0",
                        "   1004    ReceiptDue   DONE    2",
                        "   1005    PaymentDue   DONE    0",
                        "The demo is over.")
                .doesNotContain("   1002  ", "\tat ");
    }
}
