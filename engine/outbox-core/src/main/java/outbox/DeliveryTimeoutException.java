package outbox;

/**
 * A delivery ran longer than its time limit. It counts as a failed attempt. The stack trace is that of the listener's
 * thread when the limit was reached; it is empty where an {@link AsyncEventListener} had returned and its stage was not
 * complete.
 */
public class DeliveryTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param where what the listener's thread was doing */
    public DeliveryTimeoutException(String message, StackTraceElement[] where) {
        super(message);
        setStackTrace(where);
    }
}
