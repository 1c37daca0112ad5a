package outbox.domain.handler;

import org.jspecify.annotations.Nullable;

/**
 * All handlers of an event have ended and at least one is dead: the event becomes a dead letter. A replay calls the
 * dead ones again.
 */
public class HandlersFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public HandlersFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
