package outbox.domain.type;

import org.jspecify.annotations.Nullable;

/** The payload of an event does not fit its class. Trying again is useless: the event is dead at once. */
public class UnreadableEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnreadableEventException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
