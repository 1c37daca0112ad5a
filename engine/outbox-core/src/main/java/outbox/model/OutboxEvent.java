package outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row as it was read, not decoded yet.
 *
 * @param attempts failed deliveries so far
 * @param formerLease whose lease had run out when this row was claimed
 */
public record OutboxEvent(
        String eventId,
        String eventType,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String tenantId,
        String payloadJson,
        @Nullable String headersJson,
        int attempts,
        Instant createdAt,
        FormerLease formerLease) {

    /** A row that nobody held. */
    public OutboxEvent(
            String eventId,
            String eventType,
            @Nullable String aggregateType,
            @Nullable String aggregateId,
            @Nullable String tenantId,
            String payloadJson,
            @Nullable String headersJson,
            int attempts,
            Instant createdAt) {
        this(
                eventId,
                eventType,
                aggregateType,
                aggregateId,
                tenantId,
                payloadJson,
                headersJson,
                attempts,
                createdAt,
                FormerLease.NONE);
    }

    /** Whether its process probably died while it held this row, and nobody knows whether its listener was called. */
    public boolean suspect() {
        return formerLease.isSuspect();
    }

    /** The same row, claimed after that lease had run out. */
    public OutboxEvent heldBefore(FormerLease by) {
        return new OutboxEvent(
                eventId,
                eventType,
                aggregateType,
                aggregateId,
                tenantId,
                payloadJson,
                headersJson,
                attempts,
                createdAt,
                by);
    }
}
