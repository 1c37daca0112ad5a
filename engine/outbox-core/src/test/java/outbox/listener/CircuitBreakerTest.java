package outbox.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import outbox.spi.BreakerState;

class CircuitBreakerTest {
    private final List<BreakerState> changes = new ArrayList<>();
    private final CircuitBreaker breaker = new CircuitBreaker("listener", 3, Duration.ofNanos(1000), changes::add);

    private void open(long at) {
        for (int i = 0; i < 3; i++) {
            breaker.failed(at);
        }
    }

    @Test
    void opensAfterFailuresInARowOnly() {
        breaker.failed(0);
        breaker.failed(0);
        breaker.succeeded();
        breaker.failed(0);
        breaker.failed(0);
        assertThat(breaker.tryPass(0)).isZero();
        breaker.failed(0);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        assertThat(breaker.tryPass(400)).isEqualTo(600);
    }

    @Test
    void afterThePauseOneProbePassesAndItsSuccessCloses() {
        open(0);
        assertThat(breaker.tryPass(1000)).isZero();
        assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
        assertThat(breaker.tryPass(1001)).isPositive();
        breaker.succeeded();
        assertThat(breaker.tryPass(1002)).isZero();
        assertThat(changes).containsExactly(BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED);
    }

    @Test
    void aFailedProbeOpensAgainForAWholePause() {
        open(0);
        breaker.tryPass(1000);
        breaker.failed(1100);
        assertThat(breaker.tryPass(1200)).isEqualTo(900);
        assertThat(breaker.tryPass(2100)).isZero();
    }

    @Test
    void whoCalledNobodyHasNotFailed() {
        breaker.failed(0);
        breaker.failed(0);
        for (int i = 0; i < 10; i++) {
            breaker.undecided(0);
        }
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        breaker.failed(0);
        assertThat(breaker.tryPass(1000)).isZero();
        breaker.undecided(1001);
        assertThat(breaker.tryPass(1002)).isZero(); // another probe, at once
        assertThat(breaker.tryPass(1003)).isPositive();
    }

    @Test
    void aProbeThatNeverReportsIsReplacedAfterAPause() {
        open(0);
        assertThat(breaker.tryPass(1000)).isZero();
        assertThat(breaker.tryPass(1999)).isPositive();
        assertThat(breaker.tryPass(2000)).isZero();
        assertThat(breaker.tryPass(2001)).isPositive();
    }

    @Test
    void withoutALimitItNeverOpens() {
        CircuitBreaker none = new CircuitBreaker("listener", 0, Duration.ZERO, changes::add);
        for (int i = 0; i < 100; i++) {
            none.failed(i);
        }
        assertThat(none.tryPass(100)).isZero();
        assertThat(none.openings()).isZero();
        assertThat(changes).isEmpty();
    }

    @Test
    void countsHowOftenItOpenedAndAskingLetsNothingPass() {
        open(0);
        assertThat(breaker.stayAway(1000)).isZero();
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        breaker.tryPass(1000);
        breaker.failed(1000);
        assertThat(breaker.openings()).isEqualTo(2);
    }

    /** Only the first opening of an outage, and then fewer and fewer. */
    @Test
    void itsOpeningIsLoggedWithWhatHappensNext() {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getLevel() + " " + line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger(CircuitBreaker.class.getName());
        log.addHandler(handler);
        try {
            open(0);
            assertThat(lines)
                    .containsExactly("WARNING listener 'listener' failed 3 times in a row; its circuit breaker is open:"
                            + " its events wait in the table, no attempt is counted, and one of them is tried every"
                            + " PT0.000001S");
            for (int probe = 1; probe < 100; probe++) {
                breaker.tryPass(probe * 1000);
                breaker.failed(probe * 1000);
            }
            assertThat(lines).hasSize(7).last().asString().contains("open for the 64th time in a row");
            breaker.tryPass(200_000);
            breaker.succeeded();
            assertThat(lines).last().asString().startsWith("INFO listener 'listener' works again");
            open(300_000);
            assertThat(lines).hasSize(9);
        } finally {
            log.removeHandler(handler);
        }
    }
}
