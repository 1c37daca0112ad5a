package outbox.control.source;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of a list. Without payload and headers.
 *
 * @param parked dead, and out of the way of its aggregate
 * @param lockedBy the node that has a lease on the event now
 * @param heldBack released until {@code availableAt} without an attempt: by an open breaker, a pause, or a limit
 * @param error the first line of the last error
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
        boolean heldBack,
        @Nullable String error) {}
