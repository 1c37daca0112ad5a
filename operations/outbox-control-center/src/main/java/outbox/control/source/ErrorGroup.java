package outbox.control.source;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Failures with the same signature.
 *
 * @param id {@link ErrorSignature#id()}
 * @param dead events given up with it
 * @param retrying events that wait for their next attempt after it
 * @param attempts failed deliveries that were recorded, of those looked at
 * @param firstSeen of what was looked at
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
