package outbox.jdbc;

import org.jspecify.annotations.Nullable;

/** A statement of the outbox failed. The message contains the step and the event, never a payload. */
public class OutboxStoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public OutboxStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
