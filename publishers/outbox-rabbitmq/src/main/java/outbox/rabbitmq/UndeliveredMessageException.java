package outbox.rabbitmq;

import java.io.IOException;

/**
 * The broker did not accept a message: it is unroutable, its exchange does not exist, or the broker rejected it. The
 * event is retried.
 */
public class UndeliveredMessageException extends IOException {
    private static final long serialVersionUID = 1L;

    UndeliveredMessageException(String message) {
        super(message);
    }
}
