package outbox.control.source;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Failures with the same signature.
 *
 * @param id {@link ErrorSignature#id()}
 * @param dead dead letters with this error
 * @param retrying events waiting for a retry after this error
 * @param attempts recorded failed deliveries, of those read
 * @param firstSeen the earliest failure, of those read
 * @param types the types of its events
 * @param example one of its events
 */
public record ErrorGroup(
        String id,
        String errorClass,
        String message,
        @Nullable String frame,
        int dead,
        int retrying,
        int attempts,
        Instant firstSeen,
        Instant lastSeen,
        List<String> types,
        String example) {}
