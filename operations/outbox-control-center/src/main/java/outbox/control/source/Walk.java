package outbox.control.source;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;

/**
 * A scan along one index. Several walks are merged by their time columns.
 *
 * @param timeColumn the first sort column, before the id; {@code null} if sorted by id alone
 * @param condition the condition of the index; empty for the whole table
 * @param dueLater whether it contains only rows that are due later
 * @param covers the states of its rows
 */
record Walk(@Nullable String timeColumn, String condition, boolean dueLater, Set<EventState> covers) {
    private static final Set<EventState> DUE_LATER = EnumSet.of(EventState.SCHEDULED, EventState.HELD);
    private static final Walk BY_ID = new Walk(null, "", false, EnumSet.allOf(EventState.class));
    /** The events of one aggregate, along the optional index on aggregates. */
    static final Walk BY_AGGREGATE = new Walk(null, "aggregate_id IS NOT NULL", false, EnumSet.allOf(EventState.class));

    private static final Walk DEAD_BY_CREATION = new Walk("created_at", "status = 3", false, EventState.withCodes(3));

    /**
     * The walks that cover these states and as few others as possible.
     *
     * @param retriesIndexed see {@link Flavor#indexesRetries}
     */
    static List<Walk> to(Set<EventState> states, Flavor flavor, boolean retriesIndexed) {
        if (states.equals(EnumSet.of(EventState.DONE))) {
            return List.of(new Walk("done_at", "status = 1", false, states));
        }
        if (states.isEmpty() || states.contains(EventState.DONE)) {
            return List.of(BY_ID);
        }
        boolean fresh = states.stream().anyMatch(EventState.withCodes(0)::contains);
        boolean retry = states.contains(EventState.RETRY);
        boolean onlyLater = DUE_LATER.containsAll(states);
        List<Walk> walks = new ArrayList<>();
        if (!flavor.hasPartialIndexes()) {
            if (fresh) {
                walks.add(pending(onlyLater, 0));
            }
            if (retry) {
                walks.add(pending(false, 2));
            }
            if (states.contains(EventState.DEAD)) {
                walks.add(new Walk("available_at", "status = 3", false, EventState.withCodes(3)));
            }
            return walks;
        }
        if (fresh || (retry && !retriesIndexed)) {
            walks.add(pending(onlyLater, 0, 2));
        } else if (retry) {
            walks.add(pending(false, 2));
        }
        if (states.contains(EventState.DEAD)) {
            walks.add(DEAD_BY_CREATION);
        }
        return walks;
    }

    private static Walk pending(boolean dueLater, Integer... codes) {
        String condition = codes.length == 1 ? "status = " + codes[0] : "status IN (0, 2)";
        return new Walk("available_at", condition, dueLater, EventState.withCodes(codes));
    }

    /** Whether all its rows are in these states. */
    boolean leadsOnlyTo(Set<EventState> states) {
        return states.isEmpty() || states.containsAll(covers);
    }
}
