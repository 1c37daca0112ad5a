package outbox;

/**
 * Reacts to an outbox event. There is exactly one listener for each pair of aggregate type and event type; what is
 * needed around every event (audit, logging) belongs in an interceptor.
 *
 * <p>Returning means done. Throwing means the event is retried later, until its attempts are used up and it is dead;
 * a {@link RetryAfterException} sets the time of the next attempt. Delivery is at least once: after a crash the same
 * event comes again with the same {@link EventEnvelope#eventId()}, so the effect must be idempotent or deduplicated by
 * that id.
 *
 * <p>Called from several threads at once; implementations must be thread-safe.
 */
@FunctionalInterface
public interface EventListener {
    void onEvent(EventEnvelope event) throws Exception;
}
