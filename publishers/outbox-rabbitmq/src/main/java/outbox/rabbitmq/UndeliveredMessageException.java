package outbox.rabbitmq;

import java.io.IOException;

/**
 * The broker did not take a message: no queue is bound for it, its exchange does not exist, or the broker refused it.
 * The event is tried again.
 */
public class UndeliveredMessageException extends IOException {
    private static final long serialVersionUID = 1L;

    UndeliveredMessageException(String message) {
        super(message);
    }
}
