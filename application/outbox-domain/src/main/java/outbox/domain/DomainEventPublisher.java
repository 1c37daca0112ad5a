package outbox.domain;

import java.util.List;

/**
 * Publishes domain events. Business code only depends on this interface and {@link DomainEvent}. In production events
 * are stored in the current transaction; in development they may be passed to the handlers at once. Thread-safe.
 *
 * <p>An event is a {@link DomainEvent}, or any object whose class has an {@link EventName} or is registered as an event
 * type. An object without an id of its own gets a new one each time it is published.
 */
public interface DomainEventPublisher {
    /** Publishes with the aggregate of the event itself. */
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

    /** Whether there is an active transaction for publishing on this thread. */
    boolean isInTransaction();
}
