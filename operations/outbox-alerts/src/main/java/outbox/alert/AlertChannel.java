package outbox.alert;

import java.io.IOException;

/** A way to people. Implementations are thread-safe. */
@FunctionalInterface
public interface AlertChannel {
    /**
     * Sends and waits for the answer, for some seconds at most.
     *
     * @throws IOException if it is not certain that the message arrived; its message holds no secret
     */
    void send(AlertMessage message) throws IOException;
}
