package outbox.control.source;

import java.util.Arrays;
import java.util.Locale;
import outbox.model.EventStatus;

/** The state of an event as operators see it. */
public enum EventState {
    NEW,
    DONE,
    RETRY,
    DEAD;

    int code() {
        return EventStatus.valueOf(name()).code();
    }

    static EventState of(int code) {
        return Arrays.stream(values())
                .filter(state -> state.code() == code)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("unknown status in the outbox table: " + code));
    }

    /** Still to be delivered. */
    boolean isPending() {
        return this == NEW || this == RETRY;
    }

    /** @throws IllegalArgumentException for anything but the four names, in any case */
    public static EventState parse(String name) {
        try {
            return valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("unknown state '" + name + "'; known are new, retry, dead, done", e);
        }
    }
}
