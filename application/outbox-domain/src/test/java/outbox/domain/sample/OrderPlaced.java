package outbox.domain.sample;

import java.time.Instant;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;

@EventName(value = "order.placed", version = 2)
public record OrderPlaced(String eventId, Instant occurredAt, String orderId, long cents) implements OrderEvent {
    public OrderPlaced(String orderId, long cents) {
        this(DomainEvent.newId(), Instant.parse("2026-03-01T10:15:30.123456Z"), orderId, cents);
    }
}
