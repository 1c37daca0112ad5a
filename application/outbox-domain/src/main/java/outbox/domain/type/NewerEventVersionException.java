package outbox.domain.type;

import java.time.Duration;
import outbox.NotAttemptedException;

/**
 * An event was written in a version this code does not know yet. While a new release is being rolled out that is normal:
 * the event comes again, without counting an attempt, until a node that knows the version takes it.
 */
public class NewerEventVersionException extends NotAttemptedException {
    private static final long serialVersionUID = 1L;
    private static final Duration COMES_AGAIN_IN = Duration.ofSeconds(5);

    public NewerEventVersionException(String message) {
        super(COMES_AGAIN_IN, message, null);
    }
}
