package outbox.rabbitmq;

/** The event can never be sent as a message; it becomes a dead letter at once, with this cause. */
public class MessageRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MessageRefusedException(String message) {
        super(message);
    }
}
