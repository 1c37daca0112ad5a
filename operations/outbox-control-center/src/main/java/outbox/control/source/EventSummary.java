package outbox.control.source;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One row of a list, without payload and headers.
 *
 * @param parked dead, and no longer blocking its aggregate
 * @param availableAt when it is due; for events that are scheduled or held back, a time in the future
 * @param lockedBy owner of the current lease
 * @param error the first line of the last error, which names its root cause
 */
public record EventSummary(
        String id,
        String type,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String tenant,
        EventState state,
        boolean parked,
        int attempts,
        Instant availableAt,
        Instant createdAt,
        @Nullable Instant doneAt,
        @Nullable String lockedBy,
        @Nullable String error) {}
