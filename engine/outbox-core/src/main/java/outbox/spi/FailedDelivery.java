package outbox.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;

/**
 * One attempt that failed.
 *
 * @param attempt 1 for the first
 * @param owner the node and its incarnation, as in {@code locked_by}; {@code null} where rows are not leased
 * @param duration how long the listener ran; {@code null} if it was not called
 * @param error what it threw
 * @param outcome {@link Settlement.Retry} or {@link Settlement.Dead}
 */
public record FailedDelivery(
        EventEnvelope event,
        int attempt,
        @Nullable String owner,
        @Nullable Duration duration,
        Throwable error,
        Settlement outcome) {

    /** A row that cannot be read and becomes a dead letter. Its event has its names and time, and the payload null. */
    public static FailedDelivery ofUnreadable(OutboxEvent row, @Nullable String owner, Throwable error) {
        EventEnvelope names = EventEnvelope.builder(row.eventType())
                .eventId(row.eventId())
                .occurredAt(row.createdAt())
                .aggregateType(row.aggregateType())
                .aggregateId(row.aggregateId())
                .tenantId(row.tenantId())
                .payloadJson("null")
                .build();
        return new FailedDelivery(
                names,
                row.attempts() + 1,
                owner,
                null,
                error,
                new Settlement.Dead(row.eventId(), row.attempts(), String.valueOf(error)));
    }
}
