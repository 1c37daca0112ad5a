package outbox.domain.type;

import org.jspecify.annotations.Nullable;
import outbox.UnreadablePayloadException;

/** The payload does not match its class. Retrying is useless: the event becomes a dead letter at once. */
public class UnreadableEventException extends UnreadablePayloadException {
    private static final long serialVersionUID = 1L;

    public UnreadableEventException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
