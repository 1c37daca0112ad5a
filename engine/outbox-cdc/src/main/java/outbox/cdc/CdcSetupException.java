package outbox.cdc;

/** The database is not configured for reading its log. The message says what is missing and how to fix it. */
public final class CdcSetupException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public CdcSetupException(String message) {
        super(message);
    }

    public CdcSetupException(String message, Throwable cause) {
        super(message, cause);
    }
}
