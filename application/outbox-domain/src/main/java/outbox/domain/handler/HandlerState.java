package outbox.domain.handler;

/** The state of a handler with an event. */
public enum HandlerState {
    /** Not called yet; never stored. */
    PENDING,
    /** Failed, waiting for its next attempt. */
    RETRY,
    /** Consumed. */
    DONE,
    /** Dead: attempts used up, or an exception that is not retried. */
    DEAD;

    /** Whether the handler may be called again. */
    public boolean isOpen() {
        return this != DONE;
    }
}
