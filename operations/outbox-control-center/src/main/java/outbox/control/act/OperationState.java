package outbox.control.act;

import java.util.Locale;

/** How far a bulk operation is. */
public enum OperationState {
    /** The events it is about are being written down; nothing is done to them yet. */
    COLLECTING,
    /** It works through them. */
    RUNNING,
    /** It goes on when it is told to. */
    PAUSED,
    /** It was ended; what was done stays done. */
    CANCELLED,
    /** Every event has its result. */
    DONE,
    /** It could not go on; see its problem. It can be resumed. */
    FAILED;

    boolean isOpen() {
        return this == COLLECTING || this == RUNNING;
    }

    /** Nothing happens any more unless somebody asks for it. */
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
