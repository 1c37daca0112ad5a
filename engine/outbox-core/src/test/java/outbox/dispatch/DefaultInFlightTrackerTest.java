package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class DefaultInFlightTrackerTest {
    @Test
    void anEventIsTakenOnceUntilItIsReleased() {
        InFlightTracker tracker = new DefaultInFlightTracker();
        assertThat(tracker.tryAcquire("a")).isTrue();
        assertThat(tracker.tryAcquire("a")).isFalse();
        assertThat(tracker.tryAcquire("b")).isTrue();
        tracker.release("a");
        assertThat(tracker.tryAcquire("a")).isTrue();
    }

    @Test
    void aStuckEntryCanBeTakenAgainAfterItsTime() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        InFlightTracker tracker = new DefaultInFlightTracker(1000, now::get);
        assertThat(tracker.tryAcquire("a")).isTrue();
        now.set(Instant.EPOCH.plusMillis(999));
        assertThat(tracker.tryAcquire("a")).isFalse();
        now.set(Instant.EPOCH.plusMillis(1000));
        assertThat(tracker.tryAcquire("a")).isTrue();
        assertThat(tracker.tryAcquire("a")).isFalse();
    }
}
