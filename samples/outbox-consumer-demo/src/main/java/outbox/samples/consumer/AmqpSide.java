package outbox.samples.consumer;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Reads a queue behind the exchange of the shop and books each message; it is acknowledged afterwards. */
final class AmqpSide {
    static final String EXCHANGE = "outbox";
    private static final String QUEUE = "bookkeeping";
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final ConnectionFactory broker;
    private final Bookkeeping bookkeeping;

    AmqpSide(ConnectionFactory broker, Bookkeeping bookkeeping) {
        this.broker = broker;
        this.bookkeeping = bookkeeping;
    }

    /** The consumer's queue must be there before anything is published: what nobody is bound to is refused. */
    void declare() throws IOException, TimeoutException {
        try (Connection connection = broker.newConnection();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(EXCHANGE, "topic", true);
            channel.queueDeclare(QUEUE, true, false, false, Map.of());
            channel.queueBind(QUEUE, EXCHANGE, "Invoice.#");
        }
    }

    /**
     * Consumes until it has seen so many messages.
     *
     * @param crash whether to stop before they are acknowledged, as a process does that dies here
     */
    Tally consume(int messages, boolean crash) throws Exception {
        Tally tally = new Tally();
        try (Connection connection = broker.newConnection();
                Channel channel = connection.createChannel()) {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (tally.seen() < messages) {
                GetResponse message = channel.basicGet(QUEUE, false);
                if (message != null) {
                    String text = new String(message.getBody(), StandardCharsets.UTF_8);
                    tally.add(bookkeeping.book(message.getProps().getMessageId(), "amqp", text));
                    if (!crash) {
                        channel.basicAck(message.getEnvelope().getDeliveryTag(), false);
                    }
                } else if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("only " + tally.seen() + " of " + messages + " messages came");
                } else {
                    LockSupport.parkNanos(PAUSE.toNanos());
                }
            }
        }
        return tally;
    }
}
