package outbox;

import org.jspecify.annotations.Nullable;

/**
 * The payload of an event can never be read: it is gone, or it does not decode. An event whose listener fails with it, or
 * with it as a cause, is DEAD at once: no further attempt brings it back.
 */
public class UnreadablePayloadException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnreadablePayloadException(String message) {
        this(message, null);
    }

    public UnreadablePayloadException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
