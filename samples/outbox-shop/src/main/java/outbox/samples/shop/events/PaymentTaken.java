package outbox.samples.shop.events;

import java.time.Instant;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;

/** The card was charged. */
@EventName("payment.taken")
public record PaymentTaken(String eventId, Instant occurredAt, String orderId, long cents, String email)
        implements PaymentSettled {
    public PaymentTaken(String orderId, long cents, String email) {
        this(DomainEvent.newId(), Instant.now(), orderId, cents, email);
    }
}
