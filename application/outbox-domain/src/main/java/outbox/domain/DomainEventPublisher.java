package outbox.domain;

import java.util.List;

/**
 * The one way out for domain events. Business code knows this interface and {@link DomainEvent}, nothing else of the
 * outbox. In production events are stored in the current transaction; in development they may go to the handlers at
 * once. Thread-safe.
 */
public interface DomainEventPublisher {
    /** Publishes in the context the event itself names. */
    default void publish(DomainEvent event) {
        publish(event, DomainEventContext.NONE);
    }

    default void publish(DomainEvent event, DomainEventContext context) {
        publishAll(List.of(event), context);
    }

    /** Publishes all of them or none. */
    default void publishAll(List<? extends DomainEvent> events) {
        publishAll(events, DomainEventContext.NONE);
    }

    /** Publishes all of them or none. */
    void publishAll(List<? extends DomainEvent> events, DomainEventContext context);

    /** Whether a call now, on this thread, would find the transaction it needs. */
    boolean isInTransaction();
}
