package outbox.control.source;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One event without its payload, which requires a separate permission.
 *
 * @param error the complete last error, with its stack trace
 * @param payloadBytes how large the stored payload is, also of one outside of the row
 * @param payloadPlace the table or object store that has the payload; {@code null} for the row
 * @param seq its sequence number, if the table is for ordered delivery
 */
public record EventDetail(
        EventSummary event,
        @Nullable Instant lockedAt,
        @Nullable String error,
        Map<String, String> headers,
        long payloadBytes,
        @Nullable String payloadPlace,
        @Nullable Long seq) {}
