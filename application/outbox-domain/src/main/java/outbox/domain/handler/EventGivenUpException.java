package outbox.domain.handler;

import org.jspecify.annotations.Nullable;

/** No handler of an event is left to try and at least one gave up: the event is dead, and a replay tries those again. */
public class EventGivenUpException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public EventGivenUpException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
