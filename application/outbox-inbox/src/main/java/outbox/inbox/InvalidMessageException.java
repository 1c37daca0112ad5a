package outbox.inbox;

import org.jspecify.annotations.Nullable;

/** A message has no id, or something that the table cannot store. It would fail in every delivery. */
public class InvalidMessageException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public InvalidMessageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
