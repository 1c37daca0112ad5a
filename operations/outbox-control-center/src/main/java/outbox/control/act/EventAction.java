package outbox.control.act;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.control.source.EventState;
import outbox.control.source.EventSummary;

/** An operator's choice for one event. None of them touches an event that is being delivered. */
public enum EventAction {
    /**
     * A dead event becomes NEW with no attempts; one that waits for its next attempt is due now. Either way every handler
     * that has not consumed it is due too, and one that gave up begins again.
     */
    RETRY,
    /** It counts as done without having been delivered. */
    SKIP,
    /** It is put aside as dead, out of the way of its aggregate. */
    PARK,
    /** The row is gone for good. */
    DELETE;

    /** As it is in URLs and in the audit log. */
    public String verb() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether an event is as if this had been done to it, and doing it once more would be too much. */
    boolean isDone(@Nullable EventSummary now) {
        return switch (this) {
            case RETRY -> now != null && (now.state() == EventState.NEW || now.state() == EventState.DONE);
            case SKIP -> now != null && now.state() == EventState.DONE;
            case PARK -> now != null && now.parked();
            case DELETE -> now == null;
        };
    }
}
