package outbox.testing;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.util.DefaultJsonCodec;

/**
 * A published event with its state.
 *
 * @param status its status
 * @param attempts failed attempts that were retried
 * @param lockedBy the owner of its lease, or {@code null}
 */
public record PublishedEvent(
        String eventId,
        String eventType,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String tenantId,
        String payload,
        Map<String, String> headers,
        EventStatus status,
        int attempts,
        @Nullable String lastError,
        @Nullable String lockedBy) {
    private static final int SHOWN_OF_PAYLOAD = 120;

    static PublishedEvent of(EventEnvelope event) {
        String text = event.payloadJson();
        return new PublishedEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                text != null ? text : event.payloadBytes().length + " bytes",
                event.headers(),
                EventStatus.NEW,
                0,
                null,
                null);
    }

    static PublishedEvent of(InMemoryRow row) {
        return new PublishedEvent(
                row.event().eventId(),
                row.event().eventType(),
                row.event().aggregateType(),
                row.event().aggregateId(),
                row.event().tenantId(),
                row.event().payloadJson(),
                new DefaultJsonCodec().parseObject(row.event().headersJson()),
                row.status(),
                row.event().attempts(),
                row.lastError(),
                row.lockedBy());
    }

    boolean isPending() {
        return status == EventStatus.NEW || status == EventStatus.RETRY;
    }

    /** One line for the message of an assertion. */
    String line() {
        StringBuilder line = new StringBuilder(eventType).append("  ");
        line.append(aggregateType == null ? "-" : aggregateType).append('/');
        line.append(aggregateId == null ? "-" : aggregateId);
        line.append("  ").append(status);
        if (attempts > 0) {
            line.append(" after ").append(attempts).append(" failed attempt(s)");
        }
        line.append("  ")
                .append(payload.length() <= SHOWN_OF_PAYLOAD ? payload : payload.substring(0, SHOWN_OF_PAYLOAD) + "…");
        if (!headers.isEmpty()) {
            line.append("  ").append(headers);
        }
        if (lastError != null && status != EventStatus.DONE) {
            line.append("  ").append(lastError.lines().findFirst().orElse(""));
        }
        return line.toString();
    }
}
