package outbox.domain.sample;

import java.time.Instant;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;

@EventName("order.cancelled")
public record OrderCancelled(String eventId, Instant occurredAt, String orderId) implements OrderEvent {
    public OrderCancelled(String orderId) {
        this(DomainEvent.newId(), Instant.parse("2026-03-01T10:20:00Z"), orderId);
    }

    @Override
    public String tenantId() {
        return "acme";
    }

    @Override
    public String aggregateType() {
        return "Order";
    }

    @Override
    public String aggregateId() {
        return orderId;
    }
}
