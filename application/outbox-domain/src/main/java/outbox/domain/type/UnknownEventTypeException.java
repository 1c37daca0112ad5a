package outbox.domain.type;

import outbox.dispatch.UnroutableEventException;

/**
 * No class is registered for the event type. The event becomes a dead letter at once; classes are never loaded by names
 * in rows.
 */
public class UnknownEventTypeException extends UnroutableEventException {
    private static final long serialVersionUID = 1L;

    public UnknownEventTypeException(String message) {
        super(message);
    }
}
