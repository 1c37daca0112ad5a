package outbox;

import java.util.List;

/**
 * A listener that takes several events at once. It gets what is there, never waits to fill a batch, and in ordered mode
 * gets at most one event of a key at a time.
 *
 * <p>Returning means all are done. A {@link BatchFailedException} names those that failed, all others are done; any
 * other exception means all of them failed. An event that has failed comes alone from then on: if one of a batch made the
 * others fail, they are delivered and only that one is dead after its attempts.
 */
public interface BatchEventListener extends EventListener {
    void onEvents(List<EventEnvelope> events) throws Exception;

    /** How many events to take at most. */
    default int maxBatchSize() {
        return 100;
    }

    @Override
    default void onEvent(EventEnvelope event) throws Exception {
        try {
            onEvents(List.of(event));
        } catch (BatchFailedException e) {
            Exception cause = e.failures().get(event.eventId());
            if (cause != null) {
                throw cause;
            }
        }
    }
}
