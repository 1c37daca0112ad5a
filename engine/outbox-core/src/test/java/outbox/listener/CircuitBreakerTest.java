package outbox.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.spi.BreakerState;

class CircuitBreakerTest {
    private final CircuitBreaker breaker = new CircuitBreaker(3, 1000);
    private final List<BreakerState> changes = new ArrayList<>();

    CircuitBreakerTest() {
        breaker.onChange(changes::add);
    }

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
            breaker.notAttempted(0);
        }
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        breaker.failed(0);
        assertThat(breaker.tryPass(1000)).isZero();
        breaker.notAttempted(1001);
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
}
