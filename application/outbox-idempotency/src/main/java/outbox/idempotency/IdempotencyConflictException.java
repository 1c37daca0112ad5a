package outbox.idempotency;

/** The key was already used for another request. Nothing was done; use a new key. */
public class IdempotencyConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public IdempotencyConflictException(String message) {
        super(message);
    }
}
