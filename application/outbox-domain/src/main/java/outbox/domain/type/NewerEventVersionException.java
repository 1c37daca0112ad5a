package outbox.domain.type;

import java.time.Duration;
import outbox.NotAttemptedException;

/**
 * The event has a newer version than this application knows. This is normal during a rolling upgrade: the event is
 * released, without counting an attempt, until a node that knows the version claims it.
 */
public class NewerEventVersionException extends NotAttemptedException {
    private static final long serialVersionUID = 1L;
    private static final Duration COMES_AGAIN_IN = Duration.ofSeconds(5);

    public NewerEventVersionException(String message) {
        super(COMES_AGAIN_IN, message, null);
    }
}
