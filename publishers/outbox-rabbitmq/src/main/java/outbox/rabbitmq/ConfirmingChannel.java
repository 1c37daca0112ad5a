package outbox.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A channel on which the broker confirms every message. One thread publishes; confirmations arrive on the connection's
 * thread. When the channel closes, all unconfirmed messages fail.
 */
final class ConfirmingChannel {
    private final Channel channel;
    private final ConcurrentNavigableMap<Long, Unconfirmed> unconfirmed = new ConcurrentSkipListMap<>();

    private record Unconfirmed(Message message, long publishedAt) {}

    ConfirmingChannel(Connection connection) throws IOException {
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
     * @throws ShutdownSignalException if the channel is closed
     * @throws IOException if the connection has failed
     */
    void publish(Message message, long now) throws IOException {
        long number = channel.getNextPublishSeqNo();
        unconfirmed.put(number, new Unconfirmed(message, now));
        try {
            channel.basicPublish(message.exchange(), message.routingKey(), true, message.properties(), message.body());
        } catch (ShutdownSignalException e) {
            unconfirmed.remove(number); // already failed, if the channel was closed meanwhile
            throw e;
        }
    }

    private void take(long number, boolean multiple, Consumer<Message> fate) {
        if (!multiple) {
            Unconfirmed one = unconfirmed.remove(number);
            if (one != null) {
                fate.accept(one.message());
            }
            return;
        }
        Map.Entry<Long, Unconfirmed> first = unconfirmed.firstEntry();
        while (first != null && first.getKey() <= number) {
            Unconfirmed one = unconfirmed.remove(first.getKey());
            if (one != null) {
                fate.accept(one.message());
            }
            first = unconfirmed.firstEntry();
        }
    }

    /** Returned messages arrive before their confirmation, and rarely enough to search all. */
    private void returned(Return back) {
        for (Unconfirmed one : unconfirmed.values()) {
            if (one.message().id().equals(back.getProperties().getMessageId())) {
                one.message().returned(back.getReplyText() + " (" + back.getReplyCode() + ")");
            }
        }
    }

    private void ended(ShutdownSignalException why) {
        failAll(message -> failure(message, why));
    }

    /** The failure of a message on a closed channel. */
    static Exception failure(Message message, ShutdownSignalException why) {
        return why.isHardError()
                ? new IOException("the connection ended before the broker confirmed: " + why.getMessage(), why)
                : new UndeliveredMessageException(message
                        + " was not accepted, the broker closed the channel of its exchange: " + why.getReason());
    }

    void failAll(Function<Message, Exception> failure) {
        for (Map.Entry<Long, Unconfirmed> first = unconfirmed.pollFirstEntry();
                first != null;
                first = unconfirmed.pollFirstEntry()) {
            Message message = first.getValue().message();
            message.failed(failure.apply(message));
        }
    }

    /** Whether a message has waited longer than this for its confirmation. */
    boolean isOverdue(long now, long limitNanos) {
        Map.Entry<Long, Unconfirmed> oldest = unconfirmed.firstEntry();
        return oldest != null && now - oldest.getValue().publishedAt() > limitNanos;
    }

    /** Closes the channel; unconfirmed messages fail. */
    void close() throws IOException {
        channel.abort();
    }
}
