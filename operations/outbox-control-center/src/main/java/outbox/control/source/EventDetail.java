package outbox.control.source;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One event without its payload, which requires a separate permission.
 *
 * @param error the complete last error, with its stack trace
 * @param payloadBytes how large the stored payload is
 * @param seq its sequence number, if the table is for ordered delivery
 */
public record EventDetail(
        EventSummary event,
        @Nullable Instant lockedAt,
        @Nullable String error,
        Map<String, String> headers,
        long payloadBytes,
        @Nullable Long seq) {}
