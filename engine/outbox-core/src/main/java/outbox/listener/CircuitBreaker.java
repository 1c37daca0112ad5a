package outbox.listener;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import outbox.spi.BreakerState;
import outbox.util.Ticks;

/**
 * Stops calling a listener after it failed too often in a row. While open, no event passes. After the pause one event, the
 * probe, is let through, and its result decides. Times are ticks in nanoseconds. For the engine's own modules. Thread-safe.
 */
public final class CircuitBreaker {
    private static final Logger LOG = System.getLogger(CircuitBreaker.class.getName());
    /** The longest time to wait for a probe that is running. */
    private static final long PROBE_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String listener;
    private final int failuresToOpen;
    private final long pauseNanos;
    private final Consumer<BreakerState> onChange;

    private volatile BreakerState state = BreakerState.CLOSED; // written with the lock held
    private volatile int failuresInARow; // written with the lock held
    private int openingsInARow; // since it was last closed; guarded by this
    private long changedAt; // guarded by this
    private volatile int openings; // written with the lock held

    /**
     * @param listener its name, for log lines
     * @param failuresToOpen 0 for a breaker that never opens
     * @param onChange called on every change, with the lock held
     */
    public CircuitBreaker(String listener, int failuresToOpen, Duration pause, Consumer<BreakerState> onChange) {
        this.listener = listener;
        this.failuresToOpen = failuresToOpen;
        this.pauseNanos = Ticks.in(pause);
        this.onChange = onChange;
    }

    public synchronized BreakerState state() {
        return state;
    }

    /** How often it has opened. An event that passed must not be delivered if this number has changed since. */
    public int openings() {
        return openings;
    }

    /** @return how many nanoseconds it stays open; 0 if it is not, or if the next event is the probe */
    public synchronized long openFor(long now) {
        return state == BreakerState.OPEN ? stayAway(now) : 0;
    }

    /** Lets an event pass, as the probe if it is not closed. @return 0 to go ahead, else how many nanoseconds to wait */
    public synchronized long tryPass(long now) {
        long stayAway = stayAway(now);
        if (stayAway == 0 && state != BreakerState.CLOSED) {
            changedAt = now;
            if (state == BreakerState.OPEN) {
                change(BreakerState.HALF_OPEN); // else the last probe never reported: it lost its lease on the way
            }
        }
        return stayAway;
    }

    /** @return how many nanoseconds an event would have to wait; asking lets nothing pass */
    public synchronized long stayAway(long now) {
        if (state == BreakerState.CLOSED) {
            return 0;
        }
        long left = Math.max(0, pauseNanos - (now - changedAt));
        return state == BreakerState.OPEN ? left : Math.min(left, PROBE_WAIT_NANOS);
    }

    /** Without a lock as long as all goes well. */
    public void succeeded() {
        if (failuresInARow > 0 || state != BreakerState.CLOSED) {
            close();
        }
    }

    private synchronized void close() {
        failuresInARow = 0;
        if (state != BreakerState.CLOSED) {
            change(BreakerState.CLOSED);
            LOG.log(
                    Level.INFO,
                    "listener '" + listener + "' works again; its circuit breaker, which opened " + openingsInARow
                            + " time(s) in a row, is closed");
            openingsInARow = 0;
        }
    }

    public synchronized void failed(long now) {
        failuresInARow++;
        boolean tooMany = failuresToOpen > 0 && failuresInARow >= failuresToOpen;
        if (state == BreakerState.HALF_OPEN || (state == BreakerState.CLOSED && tooMany)) {
            openings++;
            changedAt = now;
            change(BreakerState.OPEN);
            openingsInARow++;
            if (Integer.bitCount(openingsInARow) == 1) { // an outage of a night does not fill the disk
                LOG.log(Level.WARNING, opened());
            }
        }
    }

    private String opened() {
        return "listener '" + listener + "' failed " + failuresInARow + " times in a row; its circuit breaker is open"
                + (openingsInARow == 1 ? "" : " for the " + openingsInARow + "th time in a row")
                + ": its events wait in the table, no attempt is counted, and one of them is tried every "
                + Duration.ofNanos(pauseNanos);
    }

    /** The result says nothing about the listener, only about its event: if that was the probe, the next event is it. */
    public synchronized void undecided(long now) {
        if (state == BreakerState.HALF_OPEN) {
            changedAt = now - pauseNanos;
        }
    }

    private void change(BreakerState next) {
        state = next;
        onChange.accept(next);
    }
}
