package outbox.domain.handler;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;

/**
 * Leaves a handler alone after it failed too often in a row. While open its events are postponed and no attempt is
 * counted; after the pause one goes through, and its result decides. Thread-safe.
 */
final class HandlerBreaker {
    private static final Logger LOG = System.getLogger(EventHandlers.class.getName());
    private static final long PROBE_WAIT_NANOS = Duration.ofSeconds(1).toNanos();

    private final String handler;
    private final int failuresToOpen;
    private final long pauseNanos;
    private final MetricsExporter metrics;

    private BreakerState state = BreakerState.CLOSED; // guarded by this
    private int failuresInARow; // guarded by this
    private long changedAt; // guarded by this

    /** @param failuresToOpen 0 for a breaker that never opens */
    HandlerBreaker(String handler, int failuresToOpen, Duration pause, MetricsExporter metrics) {
        this.handler = handler;
        this.failuresToOpen = failuresToOpen;
        this.pauseNanos = pause.toNanos();
        this.metrics = metrics;
    }

    synchronized BreakerState state() {
        return state;
    }

    /** @return how long to stay away; zero to go ahead */
    synchronized Duration tryPass(long now) {
        long left = pauseNanos - (now - changedAt);
        if (state == BreakerState.CLOSED) {
            return Duration.ZERO;
        }
        if (left > 0) {
            long stayAway = state == BreakerState.OPEN ? left : Math.min(left, PROBE_WAIT_NANOS);
            return Duration.ofNanos(stayAway);
        }
        change(BreakerState.HALF_OPEN, now); // also when the last probe never reported
        return Duration.ZERO;
    }

    synchronized void succeeded(long now) {
        failuresInARow = 0;
        if (state != BreakerState.CLOSED) {
            change(BreakerState.CLOSED, now);
            LOG.log(Level.INFO, "handler '" + handler + "' works again");
        }
    }

    synchronized void failed(long now) {
        failuresInARow++;
        boolean opens = state == BreakerState.HALF_OPEN
                || (state == BreakerState.CLOSED && failuresToOpen > 0 && failuresInARow >= failuresToOpen);
        if (opens) {
            change(BreakerState.OPEN, now);
            LOG.log(
                    Level.WARNING,
                    "handler '" + handler + "' failed " + failuresInARow + " times in a row and is left alone for "
                            + Duration.ofNanos(pauseNanos) + "; its events wait in the table");
        }
    }

    private void change(BreakerState next, long now) {
        state = next;
        changedAt = now;
        metrics.recordBreakerState(handler, next);
    }
}
