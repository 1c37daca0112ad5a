package outbox.kafka;

import org.jspecify.annotations.Nullable;

/** The record can never be accepted; its event becomes a dead letter at once, with this cause. */
public class RecordRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RecordRefusedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
