package outbox.domain;

import java.util.List;

/**
 * The one way out for domain events. Business code knows this interface and {@link DomainEvent}, nothing else of the
 * outbox. In production events are stored in the current transaction; in development they may go to the handlers at
 * once. Thread-safe.
 *
 * <p>An event is a {@link DomainEvent}, or any object whose class has an {@link EventName} or is registered as an event
 * type. An object without an id of its own gets a new one each time it is published.
 */
public interface DomainEventPublisher {
    /** Publishes in the context the event itself names. */
    default void publish(Object event) {
        publish(event, DomainEventContext.NONE);
    }

    default void publish(Object event, DomainEventContext context) {
        publishAll(List.of(event), context);
    }

    /** Publishes all of them or none. */
    default void publishAll(List<?> events) {
        publishAll(events, DomainEventContext.NONE);
    }

    /**
     * Publishes all of them or none.
     *
     * @throws IllegalArgumentException if one of them is no event
     */
    void publishAll(List<?> events, DomainEventContext context);

    /** Whether a call now, on this thread, would find the transaction it needs. */
    boolean isInTransaction();
}
