package outbox.domain.handler;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.RetryAfterException;

/**
 * Thrown by a handler that could not even begin, because something it depends on is away. It is called again after the
 * delay, and where a tracker keeps its account this does not count as an attempt.
 */
public class NotNowException extends RetryAfterException {
    private static final long serialVersionUID = 1L;

    public NotNowException(Duration delay, String message) {
        super(delay, message);
    }

    public NotNowException(Duration delay, String message, @Nullable Throwable cause) {
        super(delay, message, cause);
    }
}
