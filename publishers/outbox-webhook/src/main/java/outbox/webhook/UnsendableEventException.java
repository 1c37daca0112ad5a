package outbox.webhook;

/** No request can be made of an event, now or later; trying again is useless. */
public class UnsendableEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnsendableEventException(String message) {
        super(message);
    }
}
