package outbox.domain.type;

/**
 * An event was written in a version this code does not know yet. While a new release is being rolled out that is normal:
 * the event is retried, and a node that knows the version takes it.
 */
public class NewerEventVersionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NewerEventVersionException(String message) {
        super(message);
    }
}
