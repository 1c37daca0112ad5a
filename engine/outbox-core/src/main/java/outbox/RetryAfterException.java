package outbox;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener that knows when the next attempt makes sense, for instance from an HTTP {@code Retry-After}
 * header. It counts as an attempt; only the delay of the retry policy is replaced.
 */
public class RetryAfterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Duration delay;

    public RetryAfterException(Duration delay, String message) {
        this(delay, message, null);
    }

    public RetryAfterException(Duration delay, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.delay = Objects.requireNonNull(delay, "delay");
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay must not be negative: " + delay);
        }
    }

    /** How long to wait before the next attempt. */
    public Duration delay() {
        return delay;
    }
}
