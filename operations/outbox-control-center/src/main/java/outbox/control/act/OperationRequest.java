package outbox.control.act;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.control.source.EventFilter;
import outbox.control.source.EventState;

/**
 * An action and the events it applies to.
 *
 * @param ids ids of the events; if empty, the filter selects them
 * @param errorGroup only events that failed with this error; without states in the filter, those that are RETRY or DEAD
 * @param handler of a redelivery: the handler, route or listener that gets the events again; otherwise {@code null}
 */
public record OperationRequest(
        EventAction action,
        EventFilter filter,
        List<String> ids,
        @Nullable String errorGroup,
        @Nullable String handler) {
    /** Maximum number of individually selected events. */
    public static final int MAX_IDS = 1_000;

    private static final Set<EventState> FAILING = Set.of(EventState.RETRY, EventState.DEAD);

    /** All but a redelivery. */
    public OperationRequest(EventAction action, EventFilter filter, List<String> ids, @Nullable String errorGroup) {
        this(action, filter, ids, errorGroup, null);
    }

    /** @throws IllegalArgumentException if it selects all events, or no events the action is possible for */
    public OperationRequest {
        ids = List.copyOf(ids);
        if (ids.size() > MAX_IDS) {
            throw new IllegalArgumentException(
                    "at most " + MAX_IDS + " events can be selected by id, not " + ids.size() + "; use a filter");
        }
        if (ids.isEmpty() && errorGroup == null && filter.equals(EventFilter.ALL)) {
            throw new IllegalArgumentException("select the events by a filter, a list of ids or an error group");
        }
        if ((action == EventAction.REDELIVER) != (handler != null)) {
            throw new IllegalArgumentException(
                    handler == null
                            ? "a redelivery needs the name of a handler"
                            : "only a redelivery has a handler, not " + action.verb());
        }
        if (action == EventAction.REDELIVER
                && ids.isEmpty()
                && filter.withStates(Set.of()).equals(EventFilter.ALL)) {
            throw new IllegalArgumentException(
                    "select the events to redeliver by time, type, aggregate, tenant or a list of ids");
        }
        Set<EventState> states = EnumSet.copyOf(statesFor(action));
        if (!filter.states().isEmpty()) {
            states.retainAll(filter.states());
        } else if (errorGroup != null) {
            states.retainAll(FAILING); // replayed and delivered events keep their last error
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
            case SKIP, PARK -> EnumSet.complementOf(EnumSet.of(EventState.DONE));
            case DELETE -> EnumSet.allOf(EventState.class);
            case REDELIVER -> EnumSet.of(EventState.DONE);
        };
    }
}
