package outbox.idempotency;

import java.time.Duration;

/** Somebody else is creating under the same key right now. Nothing was done; ask again. */
public class CreateInProgressException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    public CreateInProgressException(String message, Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /** When asking again makes sense. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
