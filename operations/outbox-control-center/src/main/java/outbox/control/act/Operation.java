package outbox.control.act;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One action on many events.
 *
 * @param filter which events, as a query of the list of events; empty if they were picked one by one
 * @param errorGroup only events that failed with this error
 * @param total events found so far; final once it runs
 * @param refused events that were not in a state for it
 * @param problem why it could not go on
 */
public record Operation(
        String id,
        String application,
        EventAction action,
        String filter,
        @Nullable String errorGroup,
        String reason,
        String actor,
        int perSecond,
        OperationState state,
        int total,
        int succeeded,
        int refused,
        @Nullable String problem,
        Instant createdAt,
        Instant changedAt) {

    /**
     * What became of one event.
     *
     * @param outcome waiting, taken (being done), ok or refused
     */
    public record Item(
            String eventId,
            Instant eventCreatedAt,
            String outcome,
            @Nullable String detail,
            @Nullable Instant at) {}
}
