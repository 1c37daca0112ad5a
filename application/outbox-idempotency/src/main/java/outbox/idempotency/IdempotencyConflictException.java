package outbox.idempotency;

/** A key that was used for another request. Nothing was done; the caller needs a new key. */
public class IdempotencyConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public IdempotencyConflictException(String message) {
        super(message);
    }
}
