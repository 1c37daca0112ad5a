package outbox.samples.shop.events;

import java.time.Instant;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;

/** A customer ordered something. {@code card} is the name of a test card; a real one has no place in an event. */
@EventName("order.placed")
public record OrderPlaced(
        String eventId, Instant occurredAt, String orderId, String item, long cents, String card, String email)
        implements DomainEvent {
    public OrderPlaced(String orderId, String item, long cents, String card, String email) {
        this(DomainEvent.newId(), Instant.now(), orderId, item, cents, card, email);
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
