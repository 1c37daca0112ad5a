package outbox.domain.type;

import outbox.dispatch.UnroutableEventException;

/** No class is registered for the type of an event. It is dead at once; a class is never looked up by a row's text. */
public class UnknownEventTypeException extends UnroutableEventException {
    private static final long serialVersionUID = 1L;

    public UnknownEventTypeException(String message) {
        super(message);
    }
}
