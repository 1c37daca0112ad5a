package outbox.spi;

import outbox.EventEnvelope;

/**
 * The form an event has in the table, where that is not the form it was written in: encrypted, for instance. The writer
 * seals right before the insert; the poller opens what it has read. Between the two, hooks and listeners see the event as
 * it was written, on the hot and on the cold path.
 *
 * <p>All methods keep everything but payload and headers. Implementations are thread-safe.
 */
public interface EventSeal {
    /** Events are stored as they are written. */
    EventSeal NONE = new EventSeal() {
        @Override
        public EventEnvelope seal(EventEnvelope event) {
            return event;
        }

        @Override
        public EventEnvelope open(EventEnvelope stored) {
            return stored;
        }
    };

    /** Called in the business transaction. What it throws reaches the caller of the writer; nothing is written then. */
    EventEnvelope seal(EventEnvelope event);

    /**
     * The event as the hot path delivers it. Called in the business transaction, after {@link #seal}.
     *
     * @param written as {@link #seal} got it
     * @param stored as {@link #seal} returned it
     */
    default EventEnvelope delivered(EventEnvelope written, EventEnvelope stored) {
        return written;
    }

    /**
     * Called once for every row that was read.
     *
     * @throws outbox.RetryAfterException if that is not possible for the time being: the row stays as it is and is read
     *     again after that time; no attempt is counted
     * @throws RuntimeException any other makes the row DEAD, as one that cannot be decoded
     */
    EventEnvelope open(EventEnvelope stored);
}
