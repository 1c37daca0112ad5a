package outbox.webhook;

/** The event can never be sent as a request; retrying is useless. */
public class UnsendableEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnsendableEventException(String message) {
        super(message);
    }
}
