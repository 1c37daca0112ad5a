package outbox.doctor;

/** The database could not be reached or asked at all, so nothing is known about the outbox. */
public final class CouldNotLookException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    CouldNotLookException(String message, Throwable cause) {
        super(message, cause);
    }
}
