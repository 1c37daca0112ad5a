package outbox.model;

/** State of a row; the code is what the column {@code status} holds. */
public enum EventStatus {
    /** Inserted, waiting for its first delivery. */
    NEW(0),
    /** Delivered. */
    DONE(1),
    /** Failed, waiting for its next attempt. */
    RETRY(2),
    /** Given up: attempts used up, nobody to deliver to, or not readable. */
    DEAD(3);

    private final int code;

    EventStatus(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    public static EventStatus fromCode(int code) {
        for (EventStatus status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        throw new IllegalArgumentException(
                "unknown status code " + code + "; known are 0 NEW, 1 DONE, 2 RETRY, 3 DEAD");
    }
}
