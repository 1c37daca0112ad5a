package outbox.samples.shop.events;

import java.time.Instant;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;

/** The customer was told how the order ended. */
@EventName("mail.sent")
public record MailSent(String eventId, Instant occurredAt, String orderId, String address) implements DomainEvent {
    public MailSent(String orderId, String address) {
        this(DomainEvent.newId(), Instant.now(), orderId, address);
    }

    @Override
    public String aggregateType() {
        return "Mail";
    }

    @Override
    public String aggregateId() {
        return orderId;
    }
}
