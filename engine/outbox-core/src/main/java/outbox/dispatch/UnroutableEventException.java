package outbox.dispatch;

/** No listener is registered for an event. It is dead at once: waiting does not bring a listener. */
public class UnroutableEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnroutableEventException(String message) {
        super(message);
    }
}
