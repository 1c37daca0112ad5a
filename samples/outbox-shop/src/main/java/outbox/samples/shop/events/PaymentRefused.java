package outbox.samples.shop.events;

import java.time.Instant;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;

/** The card company said no; the order ends here. */
@EventName("payment.refused")
public record PaymentRefused(
        String eventId, Instant occurredAt, String orderId, long cents, String email, String reason)
        implements PaymentSettled {
    public PaymentRefused(String orderId, long cents, String email, String reason) {
        this(DomainEvent.newId(), Instant.now(), orderId, cents, email, reason);
    }
}
