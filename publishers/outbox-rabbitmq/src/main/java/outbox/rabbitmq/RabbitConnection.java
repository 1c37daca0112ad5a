package outbox.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the broker with a channel for each exchange. If an exchange does not exist or publishing is not
 * allowed, the broker closes the channel with everything in flight on it; events of other exchanges are not affected.
 * One thread publishes.
 */
final class RabbitConnection {
    /** Maximum number of open channels; idle ones are closed above it. */
    private static final int MAX_CHANNELS = 256;

    private static final Logger LOG = System.getLogger(RabbitConnection.class.getName());

    private final Connection connection;
    private final @Nullable Socket socket;
    private final Map<String, ConfirmingChannel> channels =
            new ConcurrentHashMap<>(); // only the publishing thread adds
    private volatile @Nullable String blocked;

    /** @param socket the socket of the connection, if it is known */
    RabbitConnection(Connection connection, @Nullable Socket socket) {
        this.connection = connection;
        this.socket = socket;
        connection.addBlockedListener(this::blocked, () -> blocked = null);
    }

    private void blocked(String reason) {
        blocked = reason;
        LOG.log(Level.WARNING, "RabbitMQ blocks publishing: " + reason + "; events wait in the table");
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    /**
     * Sends a message, and returns before it is confirmed. Blocks while the broker does not read.
     *
     * @throws ShutdownSignalException if the channel of the exchange, or the connection, was closed
     * @throws IOException if the connection has failed, and everything on it
     */
    void publish(Message message, long now) throws IOException {
        ConfirmingChannel channel = channels.get(message.exchange());
        if (channel == null || !channel.isOpen()) {
            makeRoom();
            channel = new ConfirmingChannel(connection);
            channels.put(message.exchange(), channel);
        }
        channel.publish(message, now);
    }

    private void makeRoom() throws IOException {
        Iterator<ConfirmingChannel> candidates = channels.values().iterator();
        while (channels.size() >= MAX_CHANNELS && candidates.hasNext()) {
            ConfirmingChannel idle = candidates.next();
            if (idle.unconfirmedCount() == 0) {
                candidates.remove();
                idle.close();
            }
        }
    }

    /** Closes the channel of an exchange. */
    void closeChannel(String exchange) throws IOException {
        ConfirmingChannel channel = channels.remove(exchange);
        if (channel != null) {
            channel.close();
        }
    }

    /** Whether a message has waited longer than this for its confirmation. */
    boolean isOverdue(long now, long limitNanos) {
        return channels.values().stream().anyMatch(channel -> channel.isOverdue(now, limitNanos));
    }

    /** Aborts the connection, even while a thread is blocked writing to it. */
    void cut(String why) {
        String reason = blocked == null ? why : why + "; the broker blocks publishing: " + blocked;
        failAll(reason); // before the client notices, with a less specific error
        try {
            if (socket != null) {
                socket.setSoLinger(true, 0); // TLS would wait for the blocked thread
                socket.close();
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "could not close a socket to RabbitMQ; ignored", e);
        }
        connection.abort(0);
        failAll(reason);
    }

    private void failAll(String reason) {
        channels.values().forEach(channel -> channel.failAll(message -> new IOException(reason)));
    }
}
