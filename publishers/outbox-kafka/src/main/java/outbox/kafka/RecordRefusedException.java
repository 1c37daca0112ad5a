package outbox.kafka;

import org.jspecify.annotations.Nullable;

/** This record will never be accepted, however often it is sent; its event is dead at once, with the cause. */
public class RecordRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RecordRefusedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
