package outbox.domain.handler;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.NotAttemptedException;

/**
 * Thrown by a handler that could not start because a dependency is unavailable. It is called again after the delay, and
 * no attempt is counted.
 */
public class NotNowException extends NotAttemptedException {
    private static final long serialVersionUID = 1L;

    public NotNowException(Duration delay, String message) {
        super(delay, message, null);
    }

    public NotNowException(Duration delay, String message, @Nullable Throwable cause) {
        super(delay, message, cause);
    }
}
