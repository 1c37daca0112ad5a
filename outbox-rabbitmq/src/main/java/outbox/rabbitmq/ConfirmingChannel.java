package outbox.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One connection with one channel on which the broker confirms every message. One thread publishes; confirmations come
 * on the connection's own thread. When the channel ends, everything unconfirmed on it has failed; a new one is opened.
 */
final class ConfirmingChannel {
    private static final Logger LOG = System.getLogger(ConfirmingChannel.class.getName());

    private final Connection connection;
    private final Channel channel;
    private final @Nullable Socket socket;
    private final ConcurrentNavigableMap<Long, Unconfirmed> unconfirmed = new ConcurrentSkipListMap<>();
    private final Set<String> knownExchanges = new HashSet<>(); // only the publishing thread

    private record Unconfirmed(Message message, long publishedAt) {}

    /** @param socket what is below the connection, if it is known */
    ConfirmingChannel(Connection connection, @Nullable Socket socket) throws IOException {
        this.connection = connection;
        this.socket = socket;
        this.channel = connection.createChannel();
        if (channel == null) {
            throw new IOException("the broker allows no more channels on this connection");
        }
        channel.confirmSelect();
        channel.addConfirmListener(
                (number, multiple) -> take(number, multiple, Message::confirmed),
                (number, multiple) -> take(number, multiple, Message::refused));
        channel.addReturnListener(this::returned);
        channel.addShutdownListener(this::ended);
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    int unconfirmedCount() {
        return unconfirmed.size();
    }

    /**
     * Sends a message, and returns before it is confirmed. Blocks while the broker does not read.
     *
     * @throws UndeliveredMessageException if there is no such exchange for us; the channel is as good as before
     * @throws IOException if the channel has failed, and everything on it
     */
    void publish(Message message, long now) throws IOException {
        checkExchange(message);
        long number = channel.getNextPublishSeqNo();
        unconfirmed.put(number, new Unconfirmed(message, now));
        channel.basicPublish(message.exchange(), message.routingKey(), true, message.properties(), message.body());
    }

    /** Publishing to an exchange that is not there would end the channel, with all that is in flight on it. */
    private void checkExchange(Message message) throws IOException {
        String exchange = message.exchange();
        if (exchange.isEmpty() || knownExchanges.contains(exchange)) {
            return;
        }
        Channel probe = connection.createChannel();
        if (probe == null) {
            throw new IOException("the broker allows no more channels on this connection");
        }
        try {
            probe.exchangeDeclarePassive(exchange);
            knownExchanges.add(exchange);
        } catch (IOException e) {
            if (e.getCause() instanceof ShutdownSignalException refused && !refused.isHardError()) {
                throw new UndeliveredMessageException(
                        message + " can not be sent, the broker refuses the exchange: " + refused.getReason());
            }
            throw e;
        } finally {
            closeQuietly(probe);
        }
    }

    private static void closeQuietly(Channel probe) throws IOException {
        try {
            if (probe.isOpen()) {
                probe.close();
            }
        } catch (TimeoutException | ShutdownSignalException e) {
            throw new IOException("a channel could not be closed", e);
        }
    }

    /** What becomes of a message. */
    @FunctionalInterface
    private interface Fate {
        void of(Message message);
    }

    private void take(long number, boolean multiple, Fate fate) {
        if (!multiple) {
            Unconfirmed one = unconfirmed.remove(number);
            if (one != null) {
                fate.of(one.message());
            }
            return;
        }
        Map.Entry<Long, Unconfirmed> first = unconfirmed.firstEntry();
        while (first != null && first.getKey() <= number) {
            Unconfirmed one = unconfirmed.remove(first.getKey());
            if (one != null) {
                fate.of(one.message());
            }
            first = unconfirmed.firstEntry();
        }
    }

    /** Comes before the confirmation, and seldom enough to look through all. */
    private void returned(Return back) {
        for (Unconfirmed one : unconfirmed.values()) {
            if (one.message().id().equals(back.getProperties().getMessageId())) {
                one.message().returned(back.getReplyText() + " (" + back.getReplyCode() + ")");
            }
        }
    }

    private void ended(ShutdownSignalException why) {
        failAll(new IOException("the channel ended before the broker confirmed: " + why.getMessage(), why));
    }

    private void failAll(IOException failure) {
        while (!unconfirmed.isEmpty()) {
            Map.Entry<Long, Unconfirmed> first = unconfirmed.pollFirstEntry();
            if (first != null) {
                first.getValue().message().failed(failure);
            }
        }
    }

    /** Whether a message has waited for its confirmation for longer than that. */
    boolean isOverdue(long now, long limitNanos) {
        Map.Entry<Long, Unconfirmed> oldest = unconfirmed.firstEntry();
        return oldest != null && now - oldest.getValue().publishedAt() > limitNanos;
    }

    /** Ends the connection at once, even while a thread is stuck writing to it. */
    void cut(String why) {
        try {
            if (socket != null) {
                socket.setSoLinger(true, 0); // TLS would wait for the thread that is stuck
                socket.close();
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "a socket to RabbitMQ could not be closed; it is of no use any more", e);
        }
        connection.abort(0);
        failAll(new IOException(why));
    }
}
