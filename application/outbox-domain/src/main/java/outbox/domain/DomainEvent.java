package outbox.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.util.Ulid;

/**
 * Something that happened in the domain. Immutable; implement it with a record, or extend {@link BaseDomainEvent}.
 *
 * <pre>{@code
 * @EventName("order.placed")
 * public record OrderPlaced(String eventId, Instant occurredAt, String orderId, long cents) implements DomainEvent {
 *     public OrderPlaced(String orderId, long cents) {
 *         this(DomainEvent.newId(), Instant.now(), orderId, cents);
 *     }
 * }
 * }</pre>
 *
 * <p>Everything but id and time is optional.
 */
public interface DomainEvent {
    /** Unique, at most 36 characters; consumers use it to detect duplicates. */
    String eventId();

    Instant occurredAt();

    /**
     * The version of the payload; by default that of {@link EventName}, or 1. The version of the class's registration
     * takes precedence.
     */
    default int version() {
        EventName declared = getClass().getAnnotation(EventName.class);
        return declared == null ? EventName.FIRST_VERSION : declared.version();
    }

    /** The tenant, in multi-tenant systems. */
    default @Nullable String tenantId() {
        return null;
    }

    /** The aggregate type; a {@link DomainEventContext} takes precedence. */
    default @Nullable String aggregateType() {
        return null;
    }

    /** The aggregate id; a {@link DomainEventContext} takes precedence. */
    default @Nullable String aggregateId() {
        return null;
    }

    /** A new id: a ULID, which sorts by time. */
    static String newId() {
        return Ulid.next();
    }
}
