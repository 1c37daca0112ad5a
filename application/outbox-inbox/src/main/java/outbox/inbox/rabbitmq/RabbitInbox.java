package outbox.inbox.rabbitmq;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import outbox.inbox.Inbox;
import outbox.inbox.InboxMessage;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Loop;

/**
 * Brings messages of RabbitMQ into an {@link Inbox}, on one thread. Messages are acknowledged after they are stored, so a
 * crash or a lost connection makes some come again, and the inbox knows them. Thread-safe.
 *
 * <pre>{@code
 * RabbitInbox rabbit = RabbitInbox.builder(inbox, connectionFactory)
 *     .queues("orders")
 *     .build()
 *     .start();
 * }</pre>
 *
 * <h2>Back-pressure</h2>
 *
 * <p>The broker sends at most {@code prefetch} messages ahead. While the database fails, or more messages wait than {@code
 * maxPending}, none is acknowledged and so none is sent.
 */
public final class RabbitInbox implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RabbitInbox.class.getName());
    private static final long WAIT_MILLIS = 200;
    private static final long PENDING_CHECK_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RETRY_MILLIS = 1_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

    private final Inbox inbox;
    private final ConnectionFactory factory;
    private final @Nullable AddressResolver addresses;
    private final Set<String> queues;
    private final BiFunction<String, Delivery, InboxMessage> mapping;
    private final int prefetch;
    private final int maxPending;
    private final FailureLog failures;
    private final FailureLog connecting;
    private final Loop loop;

    // of the loop's thread alone
    private @Nullable Consuming current;
    private final List<Received> batch = new ArrayList<>();
    private long pendingCheckedAt = System.nanoTime() - PENDING_CHECK_NANOS;
    private boolean full;

    private volatile boolean paused;

    RabbitInbox(
            Inbox inbox,
            ConnectionFactory factory,
            @Nullable AddressResolver addresses,
            Set<String> queues,
            BiFunction<String, Delivery, InboxMessage> mapping,
            int prefetch,
            int maxPending) {
        this.inbox = inbox;
        this.factory = factory;
        this.addresses = addresses;
        this.queues = queues;
        this.mapping = mapping;
        this.prefetch = prefetch;
        this.maxPending = maxPending;
        this.failures = new FailureLog(LOG, Level.WARNING, "the inbox of queues " + queues);
        this.connecting = new FailureLog(LOG, Level.WARNING, "consuming queues " + queues);
        this.loop = new Loop(
                "inbox of RabbitMQ queues " + queues, new DaemonThreadFactory("outbox-inbox-rabbit-"), this::turn);
    }

    /** @param factory is copied; its automatic recovery is not used */
    public static RabbitInboxBuilder builder(Inbox inbox, ConnectionFactory factory) {
        return new RabbitInboxBuilder(inbox, factory);
    }

    /** A delivery and the queue it came from. */
    private record Received(String queue, Delivery delivery) {}

    /** A connection that consumes. What it received and did not acknowledge goes back to the queues when it ends. */
    private static final class Consuming {
        final Connection connection;
        final Channel channel;
        final BlockingQueue<Received> arrived = new LinkedBlockingQueue<>(); // bounded by the prefetch count
        volatile @Nullable String cancelled;

        Consuming(Connection connection, Channel channel) {
            this.connection = connection;
            this.channel = channel;
        }
    }

    /** @return this */
    public RabbitInbox start() {
        loop.start();
        return this;
    }

    /** Whether it takes no messages, because the database fails or too many messages wait. */
    public boolean isPaused() {
        return paused;
    }

    /** Whether it runs: it was started and not closed. */
    public boolean isRunning() {
        return loop.isAlive();
    }

    private boolean turn() throws InterruptedException {
        try {
            Consuming consuming = current;
            if (consuming == null) {
                consuming = connect();
                current = consuming;
                connecting.succeeded();
            }
            if (consuming.cancelled != null || !consuming.channel.isOpen()) {
                throw new IOException(
                        consuming.cancelled == null ? "the channel was closed" : consuming.cancelled,
                        consuming.channel.getCloseReason());
            }
            consume(consuming);
        } catch (IOException | TimeoutException | ShutdownSignalException e) {
            connecting.failed("consuming queues " + queues + " failed; a new connection is made", e);
            end();
            Thread.sleep(RETRY_MILLIS);
        }
        return true;
    }

    private Consuming connect() throws IOException, TimeoutException {
        Connection connection = addresses == null
                ? factory.newConnection("outbox inbox")
                : factory.newConnection(addresses.getAddresses(), "outbox inbox");
        try {
            Channel channel = connection.createChannel();
            Consuming consuming = new Consuming(connection, channel);
            channel.basicQos(prefetch, true);
            for (String queue : queues) {
                String unused = channel.basicConsume(
                        queue,
                        false,
                        (tag, delivery) -> consuming.arrived.add(new Received(queue, delivery)),
                        tag -> consuming.cancelled = "queue " + queue + " was deleted or moved");
            }
            return consuming;
        } catch (IOException | RuntimeException e) {
            connection.abort(0);
            throw e;
        }
    }

    private void consume(Consuming consuming) throws IOException, InterruptedException {
        if (batch.isEmpty()) {
            if (isFull()) {
                paused = true;
                Thread.sleep(WAIT_MILLIS);
                return;
            }
            Received first = consuming.arrived.poll(WAIT_MILLIS, TimeUnit.MILLISECONDS);
            paused = false;
            if (first == null) {
                return;
            }
            batch.add(first);
            int unused = consuming.arrived.drainTo(batch, prefetch - 1);
        }
        try {
            inbox.receiveAll(batch.stream().map(this::messageOf).toList());
        } catch (Throwable e) { // an Error too: the batch is kept
            paused = true;
            failures.failed(
                    batch.size() + " messages of " + queues + " could not be stored; they are tried again, no more are"
                            + " taken",
                    e);
            Thread.sleep(RETRY_MILLIS);
            return;
        }
        failures.succeeded();
        long last = batch.get(batch.size() - 1).delivery().getEnvelope().getDeliveryTag();
        batch.clear();
        consuming.channel.basicAck(last, true); // one thread, one channel: all before it are stored
    }

    private InboxMessage messageOf(Received received) {
        try {
            return mapping.apply(received.queue(), received.delivery());
        } catch (RuntimeException | StackOverflowError e) {
            return RabbitMessages.unmapped(received.queue(), received.delivery(), e);
        }
    }

    private boolean isFull() {
        long now = System.nanoTime();
        if (now - pendingCheckedAt >= PENDING_CHECK_NANOS) {
            pendingCheckedAt = now;
            try {
                full = inbox.pending(maxPending) >= maxPending;
            } catch (RuntimeException e) {
                failures.failed("the messages that wait could not be counted; no more are taken", e);
                full = true;
            }
        }
        return full;
    }

    private void end() {
        Consuming consuming = current;
        current = null;
        batch.clear();
        if (consuming != null) {
            consuming.connection.abort(Math.toIntExact(RETRY_MILLIS));
        }
    }

    /** Ends after what it is doing, and closes the connection. */
    @Override
    public void close() {
        loop.endAfterStep();
        try {
            if (loop.awaitEnd(CLOSE_TIMEOUT.toNanos())) {
                end();
            } else {
                LOG.log(
                        Level.WARNING,
                        "the consumer of " + queues + " did not end within " + CLOSE_TIMEOUT
                                + "; its thread is interrupted, and its messages come again");
                loop.interrupt();
            }
        } catch (InterruptedException e) {
            loop.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
