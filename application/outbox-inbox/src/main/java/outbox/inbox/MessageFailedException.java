package outbox.inbox;

/** The work of a message failed and was rolled back. Do not acknowledge the message, so that it is delivered again. */
public class MessageFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MessageFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
