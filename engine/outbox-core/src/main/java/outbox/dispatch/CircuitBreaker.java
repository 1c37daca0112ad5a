package outbox.dispatch;

import java.util.function.Consumer;
import outbox.spi.BreakerState;

/**
 * Leaves a listener alone after it failed too often in a row. While open nothing passes; after the pause one event is
 * let through, and its result decides. Thread-safe.
 */
final class CircuitBreaker {
    /** How long those wait who come while the probe is under way. */
    private static final long PROBE_WAIT_NANOS = 1_000_000_000L;

    private final int failuresToOpen;
    private final long pauseNanos;
    private volatile Consumer<BreakerState> onChange = state -> {};

    private BreakerState state = BreakerState.CLOSED; // guarded by this
    private int failuresInARow; // guarded by this
    private long openedAt; // guarded by this
    private long probedAt; // guarded by this

    CircuitBreaker(int failuresToOpen, long pauseNanos) {
        this.failuresToOpen = failuresToOpen;
        this.pauseNanos = pauseNanos;
    }

    void onChange(Consumer<BreakerState> listener) {
        onChange = listener;
    }

    synchronized BreakerState state() {
        return state;
    }

    /** @return how many nanoseconds it stays open; 0 if it is not, or if the next event is the probe */
    synchronized long openFor(long now) {
        return state == BreakerState.OPEN ? Math.max(0, pauseNanos - (now - openedAt)) : 0;
    }

    /** @return 0 to go ahead, else how many nanoseconds to stay away */
    synchronized long tryPass(long now) {
        switch (state) {
            case CLOSED -> {
                return 0;
            }
            case HALF_OPEN -> {
                if (now - probedAt >= pauseNanos) { // that probe never reported: it lost its lease on the way
                    probedAt = now;
                    return 0;
                }
                return Math.min(PROBE_WAIT_NANOS, pauseNanos);
            }
            case OPEN -> {
                long left = pauseNanos - (now - openedAt);
                if (left > 0) {
                    return left;
                }
                probedAt = now;
                change(BreakerState.HALF_OPEN);
                return 0;
            }
        }
        throw new AssertionError(state);
    }

    synchronized void succeeded() {
        failuresInARow = 0;
        if (state != BreakerState.CLOSED) {
            change(BreakerState.CLOSED);
        }
    }

    synchronized void failed(long now) {
        failuresInARow++;
        if (state == BreakerState.HALF_OPEN || (state == BreakerState.CLOSED && failuresInARow >= failuresToOpen)) {
            openedAt = now;
            change(BreakerState.OPEN);
        }
    }

    /** Nobody was called, so nothing was learned: if that was the probe, the next event is it. */
    synchronized void notAttempted(long now) {
        if (state == BreakerState.HALF_OPEN) {
            probedAt = now - pauseNanos;
        }
    }

    private void change(BreakerState next) {
        state = next;
        onChange.accept(next);
    }
}
