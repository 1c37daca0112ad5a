package outbox.domain;

import java.time.Instant;
import java.util.Objects;

/**
 * Base class of domain events: id and time are set on creation, and restored by the serializer.
 *
 * <pre>{@code
 * @EventName("order.placed")
 * public class OrderPlaced extends BaseDomainEvent {
 *     private String orderId;
 *     ...
 * }
 * }</pre>
 */
public abstract class BaseDomainEvent implements DomainEvent {
    // Not final: serializers restore them by field access.
    private String eventId;
    private Instant occurredAt;

    protected BaseDomainEvent() {
        this(DomainEvent.newId(), Instant.now());
    }

    protected BaseDomainEvent(String eventId, Instant occurredAt) {
        this.eventId = Objects.requireNonNull(eventId, "eventId");
        this.occurredAt = Objects.requireNonNull(occurredAt, "occurredAt");
    }

    @Override
    public final String eventId() {
        return eventId;
    }

    @Override
    public final Instant occurredAt() {
        return occurredAt;
    }

    /** Contains class and id, never the content. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + eventId + "]";
    }
}
