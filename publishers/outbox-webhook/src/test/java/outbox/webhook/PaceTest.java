package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long START = Long.MAX_VALUE - 5 * MS; // ticks may overflow

    @Test
    void withoutALimitNobodyWaits() {
        Pace pace = new Pace(0);
        for (int i = 0; i < 1000; i++) {
            assertThat(pace.reserve(START)).isZero();
        }
    }

    @Test
    void afterABurstRequestsAreEvenlySpaced() {
        Pace pace = new Pace(10);
        for (int i = 0; i < 10; i++) {
            assertThat(pace.reserve(START)).isZero();
        }
        assertThat(pace.reserve(START)).isEqualTo(100 * MS);
        assertThat(pace.reserve(START)).isEqualTo(200 * MS);
        assertThat(pace.reserve(START + 250 * MS)).isEqualTo(50 * MS);
    }

    @Test
    void silenceIsSavedForOneBurstOnly() {
        Pace pace = new Pace(10);
        pace.reserve(START);
        long later = START + 3_600_000 * MS;
        for (int i = 0; i < 10; i++) {
            assertThat(pace.reserve(later)).isZero();
        }
        assertThat(pace.reserve(later)).isEqualTo(100 * MS);
    }

    @Test
    void lessThanOneASecondIsPossible() {
        Pace pace = new Pace(0.5);
        assertThat(pace.reserve(START)).isZero();
        assertThat(pace.reserve(START)).isEqualTo(2000 * MS);
    }

    @Test
    void aPauseHoldsAllAndEnds() {
        Pace pace = new Pace(0);
        pace.pause(START, Duration.ofSeconds(2));
        pace.pause(START, Duration.ofSeconds(1));
        assertThat(pace.reserve(START)).isEqualTo(2000 * MS);
        assertThat(pace.reserve(START + 1500 * MS)).isEqualTo(500 * MS);
        assertThat(pace.reserve(START + 2000 * MS)).isZero();
        assertThat(pace.reserve(START)).isZero();
    }

    @Test
    void aPauseIsAMinuteAtMost() {
        Pace pace = new Pace(0);
        pace.pause(START, Duration.ofDays(1));
        assertThat(pace.reserve(START)).isEqualTo(60_000 * MS);
    }
}
