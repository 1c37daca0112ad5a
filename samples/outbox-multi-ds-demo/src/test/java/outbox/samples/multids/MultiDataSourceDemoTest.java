package outbox.samples.multids;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs the demo as a user does, in a JVM of its own, and reads what he reads. */
class MultiDataSourceDemoTest {
    @Test
    void keepsTheRegionsApartAndEndsByItself() throws Exception {
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MultiDataSourceDemo.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(demo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(demo.exitValue()).as(output).isZero();
        assertThat(output)
                .containsSubsequence(
                        "1. The application routes",
                        "=> europe: 2 orders, america: 1.",
                        "2. What fails",
                        "rolls back order 2 of Dan (US)",
                        "=> europe: 3 orders, america: 1.",
                        "3. A change in one",
                        "america   delivers FriendReferred of order 5",
                        "europe    writes the bonus",
                        "europe    knows this event already",
                        "=> bonuses in europe: 1,",
                        "4. Many databases, few threads",
                        "of 40 databases, 100 delivered, 9 threads.",
                        "The demo is over.")
                .contains(
                        "europe    delivers OrderPlaced of order 1",
                        "america   delivers OrderPlaced of order 2",
                        "europe    delivers OrderPlaced of order 3",
                        "europe    delivers OrderPlaced of order 4")
                .doesNotContain("europe    delivers OrderPlaced of order 2", "Exception");
    }
}
