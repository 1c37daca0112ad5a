package outbox.control.source;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;

/**
 * An index to go along, and the rows it leads to. Several walks are merged by the times they go along.
 *
 * @param timeColumn the time in front of the id in the order; {@code null} if the id alone is the order
 * @param condition what the index is about; empty for the whole table
 */
record Walk(@Nullable String timeColumn, String condition) {
    private static final Walk BY_ID = new Walk(null, "");
    private static final Walk WAITING = new Walk("available_at", "status IN (0, 2)");
    private static final Walk RETRYING = new Walk("available_at", "status = 2");
    private static final Walk DEAD_BY_CREATION = new Walk("created_at", "status = 3");

    /**
     * The walks that lead to these states and to as few others as possible.
     *
     * @param retriesIndexed see {@link Flavor#indexesRetries}
     */
    static List<Walk> to(Set<EventState> states, Flavor flavor, boolean retriesIndexed) {
        if (states.equals(EnumSet.of(EventState.DONE))) {
            return List.of(new Walk("done_at", "status = 1"));
        }
        if (states.isEmpty() || states.contains(EventState.DONE)) {
            return List.of(BY_ID);
        }
        List<Walk> walks = new ArrayList<>();
        if (!flavor.hasPartialIndexes()) {
            states.forEach(state -> walks.add(new Walk("available_at", "status = " + state.code())));
            return walks;
        }
        if (states.contains(EventState.NEW) || (states.contains(EventState.RETRY) && !retriesIndexed)) {
            walks.add(WAITING);
        } else if (states.contains(EventState.RETRY)) {
            walks.add(RETRYING);
        }
        if (states.contains(EventState.DEAD)) {
            walks.add(DEAD_BY_CREATION);
        }
        return walks;
    }

    /** Whether its condition says all there is to say about the states. */
    boolean leadsOnlyTo(Set<EventState> states) {
        return switch (condition) {
            case "" -> states.isEmpty();
            case "status IN (0, 2)" -> states.containsAll(EnumSet.of(EventState.NEW, EventState.RETRY));
            default -> true;
        };
    }
}
