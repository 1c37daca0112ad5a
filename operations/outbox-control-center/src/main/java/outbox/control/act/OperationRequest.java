package outbox.control.act;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.control.source.EventFilter;
import outbox.control.source.EventState;

/**
 * What is to be done to which events.
 *
 * @param ids these events; if empty, those of the filter
 * @param errorGroup only events that failed with this error; unless states are named, those that are retried or dead
 */
public record OperationRequest(
        EventAction action,
        EventFilter filter,
        List<String> ids,
        @Nullable String errorGroup) {
    /** As many as can be picked one by one. */
    public static final int MAX_IDS = 1_000;

    private static final Set<EventState> FAILING = Set.of(EventState.RETRY, EventState.DEAD);

    /** @throws IllegalArgumentException if it would be about everything, or about nothing that it can be done to */
    public OperationRequest {
        ids = List.copyOf(ids);
        if (ids.size() > MAX_IDS) {
            throw new IllegalArgumentException(
                    "at most " + MAX_IDS + " events can be picked, not " + ids.size() + "; use a filter");
        }
        if (ids.isEmpty() && errorGroup == null && filter.equals(EventFilter.ALL)) {
            throw new IllegalArgumentException("name the events: a filter, a list of ids or an error group");
        }
        Set<EventState> states = EnumSet.copyOf(statesFor(action));
        if (!filter.states().isEmpty()) {
            states.retainAll(filter.states());
        } else if (errorGroup != null) {
            states.retainAll(FAILING); // an event keeps its last error when it is replayed, and when it is delivered
        }
        if (states.isEmpty()) {
            throw new IllegalArgumentException("cannot " + action.verb() + " events that are " + filter.states()
                    + "; possible are " + statesFor(action));
        }
        filter = filter.withStates(states);
    }

    private static Set<EventState> statesFor(EventAction action) {
        return switch (action) {
            case RETRY -> EnumSet.of(EventState.RETRY, EventState.DEAD);
            case SKIP, PARK -> EnumSet.of(EventState.NEW, EventState.RETRY, EventState.DEAD);
            case DELETE -> EnumSet.allOf(EventState.class);
        };
    }
}
