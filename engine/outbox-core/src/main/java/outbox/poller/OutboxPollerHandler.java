package outbox.poller;

import outbox.EventEnvelope;

/** Takes what the poller read and could decode. */
@FunctionalInterface
public interface OutboxPollerHandler {
    /**
     * Called once for each event.
     *
     * @param attempts failed deliveries so far
     * @return {@code false} if there is no room: the poller ends this round, the event stays in the table
     */
    boolean handle(EventEnvelope event, int attempts);

    /** How many events it would take now; the poller asks before it reads. */
    default int availableCapacity() {
        return Integer.MAX_VALUE;
    }

    /** How many bytes of payloads and headers it has room for now; the poller reads no more than that, but one row. */
    default long availableBytes() {
        return Long.MAX_VALUE;
    }
}
