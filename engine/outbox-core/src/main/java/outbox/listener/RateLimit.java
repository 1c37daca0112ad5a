package outbox.listener;

import java.util.concurrent.TimeUnit;

/**
 * Keeps one listener to its {@link Rate}, on this node. An event that comes too early is told when to come back: one
 * after the other, each at the time that is left for it, so that a backlog is sent away once and returns at the rate. While
 * some are away, events that come for the first time line up behind them. Times are ticks in nanoseconds. For the engine's
 * own modules. Thread-safe.
 */
public final class RateLimit {
    /** The longest time an event is sent away: the rate may be another one by then, or another node may have time. */
    static final long FURTHEST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final long interval;
    private final long burst;
    private boolean used; // guarded by this, as all below
    private long nextAt; // when the next event would be on time, without a burst
    private long lineEndsAt; // when the last of those that were sent away comes back

    public RateLimit(Rate rate) {
        this.interval = rate.nanosPerEvent();
        this.burst = interval * (rate.burst() - 1);
    }

    /**
     * Takes the place of one event, if there is one.
     *
     * @param isNew whether the event comes for the first time
     * @return 0 to go ahead, else how many nanoseconds to wait
     */
    public synchronized long tryTake(long now, boolean isNew) {
        if (!used) {
            used = true;
            nextAt = now;
            lineEndsAt = now;
        }
        long due = nextAt - burst - now;
        boolean behindOthers = isNew && lineEndsAt - now > 0;
        if (due <= 0 && !behindOthers) {
            nextAt = Math.max(nextAt, now) + interval;
            return 0;
        }
        long first = now + Math.max(1, due);
        lineEndsAt = lineEndsAt - first < 0 || lineEndsAt - now > FURTHEST_NANOS ? first : lineEndsAt + interval;
        return lineEndsAt - now;
    }
}
