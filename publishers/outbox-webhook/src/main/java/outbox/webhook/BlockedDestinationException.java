package outbox.webhook;

import java.io.IOException;

/** A request was not sent because its destination is blocked. No connection was opened. */
public class BlockedDestinationException extends IOException {
    private static final long serialVersionUID = 1L;

    BlockedDestinationException(String message) {
        super(message);
    }
}
