package outbox;

/** An event was to be written outside of a transaction. Nothing was written. */
public final class NoActiveTransactionException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public NoActiveTransactionException(String message) {
        super(message);
    }
}
