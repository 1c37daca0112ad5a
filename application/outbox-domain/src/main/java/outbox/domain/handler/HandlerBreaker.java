package outbox.domain.handler;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;

/**
 * Leaves a handler alone after it failed too often in a row. While open its events are postponed and no attempt is
 * counted; after the pause one goes through, and its result decides. An event that is dead at once tells nothing about the
 * handler: a poison event stops only itself. Thread-safe.
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
    private volatile int openings; // written with the lock held
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

    /** How often it has opened: whoever passed and sees another number now is not to go ahead any more. */
    int openings() {
        return openings;
    }

    /** @return how long to stay away; zero to go ahead */
    synchronized Duration tryPass(long now) {
        Duration stayAway = stayAway(now);
        if (stayAway.isZero() && state != BreakerState.CLOSED) {
            change(BreakerState.HALF_OPEN, now); // also when the last probe never reported
        }
        return stayAway;
    }

    /** The same without going ahead. */
    synchronized Duration stayAway(long now) {
        if (state == BreakerState.CLOSED) {
            return Duration.ZERO;
        }
        long left = Math.max(0, pauseNanos - (now - changedAt));
        return Duration.ofNanos(state == BreakerState.OPEN ? left : Math.min(left, PROBE_WAIT_NANOS));
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
            openings++;
            change(BreakerState.OPEN, now);
            LOG.log(
                    Level.WARNING,
                    "handler '" + handler + "' failed " + failuresInARow + " times in a row and is left alone for "
                            + Duration.ofNanos(pauseNanos) + "; its events wait in the table");
        }
    }

    /** The call said something about its event and nothing about the handler: if it was the probe, the next one is it. */
    synchronized void undecided(long now) {
        if (state == BreakerState.HALF_OPEN) {
            changedAt = now - pauseNanos;
        }
    }

    private void change(BreakerState next, long now) {
        state = next;
        changedAt = now;
        metrics.recordBreakerState(handler, next);
    }
}
