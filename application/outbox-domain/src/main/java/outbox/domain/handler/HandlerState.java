package outbox.domain.handler;

/** How far a handler is with an event. */
public enum HandlerState {
    /** Not called yet; never stored. */
    PENDING,
    /** Failed, waiting for its next attempt. */
    RETRY,
    /** Consumed. */
    DONE,
    /** Given up: attempts used up, or an exception that means so. */
    DEAD;

    /** Whether there is, or may be again, something to do. */
    public boolean isOpen() {
        return this != DONE;
    }
}
