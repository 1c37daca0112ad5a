package outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row as it was read, not decoded yet.
 *
 * @param attempts failed deliveries so far
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
        Instant createdAt) {}
