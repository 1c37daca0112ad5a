package outbox;

/**
 * Why an event is dead whose process ended while it was being delivered, at its last attempt: by a crash, a kill, or out of
 * memory. No listener throws it; it is what the row and a {@link outbox.spi.FailureListener} are told.
 */
public class ProcessDiedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ProcessDiedException(String message) {
        super(message, null, false, false); // no stack of ours has anything to do with it
    }
}
