package outbox.rabbitmq;

/** No message can be made of an event, now or later; the event is dead at once, with this cause. */
public class MessageRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MessageRefusedException(String message) {
        super(message);
    }
}
