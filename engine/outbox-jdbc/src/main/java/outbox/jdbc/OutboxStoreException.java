package outbox.jdbc;

import org.jspecify.annotations.Nullable;

/** The database refused a statement of the outbox. The message says which step and which event, never a payload. */
public class OutboxStoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public OutboxStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
