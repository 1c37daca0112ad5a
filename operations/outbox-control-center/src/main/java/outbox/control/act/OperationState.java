package outbox.control.act;

import java.util.Locale;

/** State of a bulk operation. */
public enum OperationState {
    /** Its events are being collected; none has been changed yet. */
    COLLECTING,
    /** Events are being processed. */
    RUNNING,
    /** Paused until it is resumed. */
    PAUSED,
    /** Cancelled; completed actions are not undone. */
    CANCELLED,
    /** Every event has its result. */
    DONE,
    /** Failed; see its problem. It can be resumed. */
    FAILED;

    boolean isOpen() {
        return this == COLLECTING || this == RUNNING;
    }

    /** Whether nothing more happens unless an operator acts. */
    boolean isEnd() {
        return this == CANCELLED || this == DONE || this == FAILED;
    }

    String stored() {
        return name().toLowerCase(Locale.ROOT);
    }

    static OperationState of(String stored) {
        return valueOf(stored.toUpperCase(Locale.ROOT));
    }
}
