package outbox.control.act;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.control.source.EventState;
import outbox.control.source.EventSummary;

/** What an operator can do with one event. Events in flight are never changed. */
public enum EventAction {
    /**
     * A dead event becomes NEW with no attempts; a RETRY event becomes due now. In both cases every handler that has
     * not completed becomes due too, and the attempts of failed handlers are reset.
     */
    RETRY,
    /** Marks it as done without delivery. */
    SKIP,
    /** Sets it aside as dead; it no longer blocks its aggregate. */
    PARK,
    /** Deletes the row. */
    DELETE,
    /** Delivers a copy of a delivered event to one handler; see {@link outbox.Redelivery}. Only in operations. */
    REDELIVER;

    /** Those that need nothing but an event. */
    public static final Set<EventAction> OF_ONE_EVENT =
            Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(REDELIVER)));

    /** The name in URLs and in the audit log. */
    public String verb() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As in "it cannot be retried". */
    public String participle() {
        return switch (this) {
            case RETRY -> "retried";
            case SKIP -> "skipped";
            case PARK -> "parked";
            case DELETE -> "deleted";
            case REDELIVER -> "redelivered";
        };
    }

    /** Whether an event is already in the state this action leads to. */
    boolean isDone(@Nullable EventSummary now) {
        return switch (this) {
            case RETRY -> now != null && now.state() != EventState.RETRY && now.state() != EventState.DEAD;
            case SKIP -> now != null && now.state() == EventState.DONE;
            case PARK -> now != null && now.parked();
            case DELETE -> now == null;
            case REDELIVER -> false; // the copy has the same id when it is written again
        };
    }
}
