package outbox.samples.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the demo as a user does, in a JVM of its own, and reads what he reads. */
class ConsumerDemoIT {
    @Test
    void eachOrderGetsOneInvoiceAlthoughBillingIsKilledAndOneTraceGoesThroughBoth() throws Exception {
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ConsumerDemo.class.getName())
                .redirectErrorStream(true)
                .start();
        String output;
        try (InputStream lines = demo.getInputStream()) {
            output = new String(lines.readAllBytes(), StandardCharsets.UTF_8);
        }

        assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(demo.exitValue()).as(output).isZero();
        assertThat(output)
                .containsSubsequence(
                        "placed 40 orders",
                        "killed after",
                        "Orders 40, invoices 40, orders with exactly one invoice 40. Billing was killed 3 times.",
                        "The trace of order-7:");
        List<String> traces = Pattern.compile("00-([0-9a-f]{32})-([0-9a-f]{16})-01")
                .matcher(output)
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(traces).hasSize(3);
        assertThat(traces.stream().distinct()).hasSize(1);
    }
}
