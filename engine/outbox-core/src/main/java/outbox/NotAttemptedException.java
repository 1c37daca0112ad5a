package outbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener that passes events on and called nobody this time: whoever is meant is busy, paused or left alone.
 * The event comes again after the delay; no attempt is counted and no failure is reported for it.
 */
public class NotAttemptedException extends RetryAfterException {
    private static final long serialVersionUID = 1L;

    public NotAttemptedException(Duration delay, String message, @Nullable Throwable cause) {
        super(delay, message, cause);
    }
}
