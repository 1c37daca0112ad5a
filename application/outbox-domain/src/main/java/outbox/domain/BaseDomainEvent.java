package outbox.domain;

import java.time.Instant;
import java.util.Objects;

/**
 * A domain event as a class: id and time are set when it is made, and restored by the serializer when it is read.
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

    /** Names the event; never its content. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + eventId + "]";
    }
}
