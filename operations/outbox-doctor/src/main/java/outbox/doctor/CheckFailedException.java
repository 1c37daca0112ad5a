package outbox.doctor;

/** The database is unreachable or cannot be queried, so there is no diagnosis. */
public final class CheckFailedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    CheckFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
