package outbox.samples.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs the demo as a user does, in a JVM of its own, and reads what he reads. */
class ConsumerDemoIT {
    @Test
    void everyMessageComesTwiceAndIsBookedOnce() throws Exception {
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
                        "dies after its work",
                        "Kafka  20 came, 20 booked, 0 known from before",
                        "AMQP   10 came, 10 booked, 0 known from before",
                        "starts again",
                        "Kafka  20 came, 0 booked, 20 known from before",
                        "AMQP   10 came, 0 booked, 10 known from before",
                        "Messages published: 30. Entries in the ledger: 30.");
    }
}
