package outbox.idempotency;

/** The work threw a checked exception, which is the cause. Unchecked ones are thrown as they are. */
public class CreateFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CreateFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
