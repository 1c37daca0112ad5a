package outbox.listener;

import java.util.function.Consumer;
import outbox.spi.BreakerState;

/**
 * Stops calling a listener after it failed too often in a row. While open, no event passes. After the pause one event, the
 * probe, is let through, and its result decides. For the engine's own modules. Thread-safe.
 */
public final class CircuitBreaker {
    /** How long those wait who come while the probe is under way. */
    private static final long PROBE_WAIT_NANOS = 1_000_000_000L;

    private final int failuresToOpen;
    private final long pauseNanos;
    private volatile Consumer<BreakerState> onChange = state -> {};

    private BreakerState state = BreakerState.CLOSED; // guarded by this
    private int failuresInARow; // guarded by this
    private long openedAt; // guarded by this
    private long probedAt; // guarded by this

    public CircuitBreaker(int failuresToOpen, long pauseNanos) {
        this.failuresToOpen = failuresToOpen;
        this.pauseNanos = pauseNanos;
    }

    public void onChange(Consumer<BreakerState> listener) {
        onChange = listener;
    }

    public synchronized BreakerState state() {
        return state;
    }

    /** @return how many nanoseconds it stays open; 0 if it is not, or if the next event is the probe */
    public synchronized long openFor(long now) {
        return state == BreakerState.OPEN ? Math.max(0, pauseNanos - (now - openedAt)) : 0;
    }

    /** @return 0 to go ahead, else how many nanoseconds to stay away */
    public synchronized long tryPass(long now) {
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

    public synchronized void succeeded() {
        failuresInARow = 0;
        if (state != BreakerState.CLOSED) {
            change(BreakerState.CLOSED);
        }
    }

    public synchronized void failed(long now) {
        failuresInARow++;
        if (state == BreakerState.HALF_OPEN || (state == BreakerState.CLOSED && failuresInARow >= failuresToOpen)) {
            openedAt = now;
            change(BreakerState.OPEN);
        }
    }

    /** Nobody was called, so nothing was learned: if that was the probe, the next event is it. */
    public synchronized void notAttempted(long now) {
        if (state == BreakerState.HALF_OPEN) {
            probedAt = now - pauseNanos;
        }
    }

    private void change(BreakerState next) {
        state = next;
        onChange.accept(next);
    }
}
