package outbox.webhook;

import java.time.Duration;

/**
 * When the next request to an endpoint may go: evenly spaced after a short burst, and not before a time the receiver
 * asked for. Whoever asks gets a place in time and waits for it without a thread. Times are ticks, in nanoseconds.
 * Thread-safe.
 */
final class Pace {
    /** A receiver that asks for more gets the next request then all the same, and can ask again. */
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final long intervalNanos;
    private final long burstNanos;

    private boolean started; // guarded by this
    private long nextAt; // guarded by this
    private boolean paused; // guarded by this
    private long pausedUntil; // guarded by this

    /** @param perSecond requests a second, also the size of a burst after silence; 0 for no limit */
    Pace(double perSecond) {
        this.intervalNanos = perSecond == 0 ? 0 : (long) (1e9 / perSecond);
        this.burstNanos = perSecond == 0 ? 0 : (long) (Math.max(0, perSecond - 1) * intervalNanos);
    }

    /** Takes the next place. @return how long to wait for it, 0 to go ahead */
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

    /** Nothing goes for a while. */
    synchronized void pause(long now, Duration wanted) {
        long until = now + Math.min(wanted.toNanos(), LONGEST_PAUSE.toNanos());
        if (!paused || until - pausedUntil > 0) {
            paused = true;
            pausedUntil = until;
        }
    }
}
