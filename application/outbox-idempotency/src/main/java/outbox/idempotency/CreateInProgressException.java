package outbox.idempotency;

import java.time.Duration;

/** Another caller is using the same key at the moment. Nothing was done; try again. */
public class CreateInProgressException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    public CreateInProgressException(String message, Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /** When to try again. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
