package outbox.control.source;

import org.jspecify.annotations.Nullable;

/**
 * Pending events that cannot be delivered at the moment, and what they wait for.
 *
 * @param handler the handler that is paused, or whose breaker is open; {@code null} if there is none
 * @param events how many, at most 10 001, which means more than 10 000
 * @param keys how many ordering keys they have; {@code null} if they do not wait for events of their key
 */
public record Hold(
        Cause cause,
        @Nullable String handler,
        int events,
        @Nullable Integer keys) {
    public Hold(Cause cause, @Nullable String handler, int events) {
        this(cause, handler, events, null);
    }

    static Hold ofKeys(int events, int keys) {
        return new Hold(Cause.ORDER, null, events, keys);
    }

    /** What stops the delivery of an event. */
    public enum Cause {
        /** An operator paused its handler. */
        PAUSE,
        /** The circuit breaker of its handler is open, or half-open and full. */
        BREAKER,
        /** A rate or concurrency limit, or its handler asked for a later delivery. */
        LIMIT,
        /** Ordered delivery: an earlier event of its key is dead, or waits for a retry. */
        ORDER
    }
}
