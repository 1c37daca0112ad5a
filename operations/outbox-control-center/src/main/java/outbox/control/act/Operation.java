package outbox.control.act;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One action on many events.
 *
 * @param filter which events, as a query of the event list; empty if they were selected individually
 * @param errorGroup only events that failed with this error
 * @param handler the handler, route or listener of a redelivery
 * @param total events found so far; final once it runs
 * @param refused events whose state did not allow the action
 * @param problem why it could not go on
 */
public record Operation(
        String id,
        String application,
        EventAction action,
        String filter,
        @Nullable String errorGroup,
        @Nullable String handler,
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
     * Result for one event.
     *
     * @param outcome waiting, taken (in progress), ok or refused
     * @param detail why it was refused; of a redelivery that is ok, the id of the new event
     */
    public record Item(
            String eventId,
            Instant eventCreatedAt,
            String outcome,
            @Nullable String detail,
            @Nullable Instant at) {}
}
