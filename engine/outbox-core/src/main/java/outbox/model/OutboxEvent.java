package outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row as it was read, not decoded yet.
 *
 * @param attempts failed deliveries so far
 * @param suspect whether it was claimed although somebody held it, because that lease had run out: its process probably
 *     died, and nobody knows whether its listener was called
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
        boolean suspect) {

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
                false);
    }

    /** The same row, claimed after the lease of its former owner had run out. */
    public OutboxEvent asSuspect() {
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
                true);
    }
}
