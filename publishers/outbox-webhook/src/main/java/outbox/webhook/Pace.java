package outbox.webhook;

import java.time.Duration;

/**
 * Rate limit of an endpoint: requests are evenly spaced after a short burst, and paused until a time the receiver asked
 * for. Callers reserve a time slot and wait for it without blocking a thread. Times are in nanoseconds. Thread-safe.
 */
final class Pace {
    /** Longest pause; a receiver can ask again after it. */
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final long intervalNanos;
    private final long burstNanos;

    private boolean started; // guarded by this
    private long nextAt; // guarded by this
    private boolean paused; // guarded by this
    private long pausedUntil; // guarded by this

    /** @param perSecond requests per second, also the burst size; 0 for no limit */
    Pace(double perSecond) {
        this.intervalNanos = perSecond == 0 ? 0 : (long) (1e9 / perSecond);
        this.burstNanos = perSecond == 0 ? 0 : (long) (Math.max(0, perSecond - 1) * intervalNanos);
    }

    /** Reserves the next time slot. @return how long to wait for it; 0 for no wait */
    synchronized long reserve(long now) {
        long wait = 0;
        if (intervalNanos > 0) {
            if (!started || now - nextAt > burstNanos) {
                started = true;
                nextAt = now - burstNanos;
            }
            wait = Math.max(0, nextAt - now);
            nextAt += intervalNanos;
        }
        if (paused) {
            long left = pausedUntil - now;
            paused = left > 0;
            wait = Math.max(wait, left);
        }
        return wait;
    }

    /** Pauses all requests for a while. */
    synchronized void pause(long now, Duration wanted) {
        long until = now + Math.min(wanted.toNanos(), LONGEST_PAUSE.toNanos());
        if (!paused || until - pausedUntil > 0) {
            paused = true;
            pausedUntil = until;
        }
    }
}
