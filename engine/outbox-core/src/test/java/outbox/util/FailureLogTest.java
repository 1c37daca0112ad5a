package outbox.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import org.junit.jupiter.api.Test;

class FailureLogTest {
    private final List<String> lines = new ArrayList<>();
    private long now = Long.MAX_VALUE - 1000; // ticks wrap around
    private final FailureLog log = new FailureLog(new Lines(), System.Logger.Level.ERROR, "polling", () -> now);

    /** Notes the level, the message, and whether there is a trace. */
    private final class Lines implements System.Logger {
        @Override
        public String getName() {
            return "lines";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String msg, Throwable thrown) {
            lines.add(level + " " + msg + " with trace");
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... params) {
            lines.add(level + " " + format);
        }
    }

    private void failFor(Duration time, Duration every) {
        long end = now + time.toNanos();
        while (now - end < 0) {
            log.failed("poll failed", new SQLException("away"));
            now += every.toNanos();
        }
    }

    @Test
    void aMinuteOfFailuresIsOneTraceAndALineWhenItIsOver() {
        failFor(Duration.ofMinutes(1), Duration.ofMillis(100));
        log.succeeded();
        log.succeeded();

        assertThat(lines)
                .containsExactly(
                        "ERROR poll failed with trace", "INFO polling works again after 600 failure(s) in PT1M");
    }

    @Test
    void aNightOfFailuresIsCountedAtGrowingIntervals() {
        failFor(Duration.ofHours(8), Duration.ofSeconds(1));

        assertThat(lines)
                .hasSizeBetween(10, 12)
                .startsWith(
                        "ERROR poll failed with trace",
                        "ERROR poll failed; failed 61 times in PT1M, last: java.sql.SQLException: away",
                        "ERROR poll failed; failed 361 times in PT6M, last: java.sql.SQLException: away",
                        "ERROR poll failed; failed 1261 times in PT21M, last: java.sql.SQLException: away");
    }

    @Test
    void whatWorksAndFailsInTurnIsOneOutage() {
        for (int i = 0; i < 600; i++) {
            log.failed("poll failed", new SQLException("away"));
            log.succeeded();
            now += Duration.ofSeconds(1).toNanos();
        }
        assertThat(lines)
                .hasSize(6)
                .filteredOn(line -> line.endsWith("with trace"))
                .hasSize(1);
    }

    @Test
    void afterAQuietMinuteAFailureIsANewOne() {
        log.failed("poll failed", new SQLException("away"));
        log.succeeded();
        now += Duration.ofMinutes(1).toNanos();
        log.failed("poll failed", new SQLException("away again"));
        log.succeeded();

        assertThat(lines)
                .containsExactly(
                        "ERROR poll failed with trace",
                        "INFO polling works again after 1 failure(s) in PT0S",
                        "ERROR poll failed with trace",
                        "INFO polling works again after 1 failure(s) in PT0S");
    }

    @Test
    void whatWorksLogsNothing() {
        log.succeeded();
        assertThat(lines).isEmpty();
    }

    @Test
    void aFailureOfAnotherKindHasItsOwnTraceAndTheyAreFew() {
        for (int i = 0; i < 1000; i++) {
            log.failed("poll failed", new SQLException("away", "0800" + i % 2));
            log.failed("poll failed", new IllegalStateException("broken"));
        }
        assertThat(lines).hasSize(3);
        for (int i = 0; i < 1000; i++) {
            log.failed("poll failed", new SQLException("odd", "X" + i));
        }
        assertThat(lines).hasSize(5).allMatch(line -> line.endsWith("with trace"));
    }
}
