package outbox.control.source;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One event, without its payload, which is a matter of its own.
 *
 * @param error the whole of the last error, with its trace
 * @param payloadBytes how large the stored payload is
 * @param seq its number, where the table keeps an order
 */
public record EventDetail(
        EventSummary event,
        @Nullable Instant lockedAt,
        @Nullable String error,
        Map<String, String> headers,
        long payloadBytes,
        @Nullable Long seq) {}
