package outbox.dispatch;

/** Keeps one event from being processed twice at the same time in this process. Thread-safe. */
public interface InFlightTracker {
    /** @return {@code false} if the event is being processed already */
    boolean tryAcquire(String eventId);

    void release(String eventId);
}
