package outbox.control.source;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import outbox.model.EventStatus;

/**
 * The state of an event as shown to operators. A row with status NEW is in one of three states: due later because it was
 * written so, due later because a node released it, or due.
 */
public enum EventState {
    /** Waiting or in flight, not failed yet. */
    NEW(EventStatus.NEW),
    /** Written to be delivered later. */
    SCHEDULED(EventStatus.NEW),
    /** Released by a node until later, without an attempt: by an open breaker, a pause, or a limit. */
    HELD(EventStatus.NEW),
    DONE(EventStatus.DONE),
    RETRY(EventStatus.RETRY),
    DEAD(EventStatus.DEAD);

    private final EventStatus status;

    EventState(EventStatus status) {
        this.status = status;
    }

    int code() {
        return status.code();
    }

    /** @param later whether it is due later and not leased; {@code released} whether a node released it */
    static EventState of(int code, boolean later, boolean released) {
        EventState state = of(code);
        return state != NEW || !later ? state : released ? HELD : SCHEDULED;
    }

    static EventState of(int code) {
        return Arrays.stream(values())
                .filter(state -> state.code() == code)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("unknown status in the outbox table: " + code));
    }

    /** The states of rows with these status codes. */
    static Set<EventState> withCodes(Integer... codes) {
        Set<EventState> states = EnumSet.noneOf(EventState.class);
        Arrays.stream(values())
                .filter(state -> List.of(codes).contains(state.code()))
                .forEach(states::add);
        return states;
    }

    /** Still to be delivered. */
    public boolean isPending() {
        return status == EventStatus.NEW || status == EventStatus.RETRY;
    }

    /** @throws IllegalArgumentException for any other name; case is ignored */
    public static EventState parse(String name) {
        try {
            return valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "unknown state '" + name + "'; known are new, scheduled, held, retry, dead, done", e);
        }
    }
}
