package outbox.domain.publish;

import java.util.List;
import java.util.Objects;
import outbox.domain.AggregateRoot;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;

/**
 * Stores the events of an aggregate, in the transaction that saves it. Thread-safe.
 *
 * <pre>{@code
 * orders.save(order);
 * outboxService.recordPulledDomainEvents(order, DomainEventContext.of("Order", order.id()));
 * }</pre>
 */
public final class DomainEventOutboxService {
    private final DomainEventPublisher publisher;

    public DomainEventOutboxService(DomainEventPublisher publisher) {
        this.publisher = Objects.requireNonNull(publisher, "publisher");
    }

    /**
     * Pulls the events of the aggregate and publishes them. If publishing throws, the aggregate keeps its events.
     *
     * @return the published events, oldest first
     */
    public List<DomainEvent> recordPulledDomainEvents(AggregateRoot aggregate, DomainEventContext context) {
        List<DomainEvent> pending = aggregate.pendingDomainEvents();
        if (pending.isEmpty()) {
            return pending;
        }
        publisher.publishAll(pending, context);
        return aggregate.pullDomainEvents();
    }
}
