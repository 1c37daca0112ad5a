package outbox.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.listener.ControlledListener;
import outbox.util.DaemonThreadFactory;

/**
 * Sends events to RabbitMQ as persistent messages. An event is done when the broker has confirmed its message; an
 * unroutable message is returned and counts as a failed attempt. Many messages are in flight at once.
 *
 * <p>With {@code ordered()} a message is sent after the previous one of its key was confirmed, and a failed one blocks
 * those behind it; otherwise a failed message is sent later, out of order.
 *
 * <h2>Threads</h2>
 *
 * One thread owns the connection and its channels: it connects, publishes, and reconnects after a failure. Workers only
 * add events to its queue. A second thread detects messages that are not confirmed in time and aborts the connection,
 * which also unblocks the first thread if the broker does not read.
 *
 * <p>Thread-safe. Close it after the outbox.
 *
 * <pre>{@code
 * RabbitPublisher publisher = RabbitPublisher.builder(connectionFactory).exchange("orders").build();
 * registry.register("Order", "order.placed", publisher.controlled().build());
 * }</pre>
 */
public final class RabbitPublisher implements AsyncEventListener, AutoCloseable {
    /** Default concurrency limit: messages in flight. */
    public static final int DEFAULT_CONCURRENCY = 1000;
    /** Consecutive failures that open the circuit breaker. */
    public static final int DEFAULT_BREAKER_FAILURES = 50;
    /** How long the circuit breaker stays open. */
    public static final Duration DEFAULT_BREAKER_PAUSE = Duration.ofSeconds(10);

    private static final Logger LOG = System.getLogger(RabbitPublisher.class.getName());
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final MessageMaker messages;
    private final RabbitLink link;
    private final long confirmNanos;
    private final BlockingQueue<Message> queue = new LinkedBlockingQueue<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final Thread publishing;
    private final Thread watching;
    private volatile @Nullable RabbitConnection connection; // written by the publishing thread
    private volatile boolean closed;

    RabbitPublisher(MessageMaker messages, RabbitLink link, Duration confirmTimeout) {
        this.messages = messages;
        this.link = link;
        this.confirmNanos = confirmTimeout.toNanos();
        this.publishing = new DaemonThreadFactory("outbox-rabbitmq-").newThread(this::publish);
        this.watching = new DaemonThreadFactory("outbox-rabbitmq-watch-").newThread(this::watch);
        publishing.start();
        watching.start();
    }

    /** @param factory the connection settings; it is copied, and its automatic recovery is not used */
    public static RabbitPublisherBuilder builder(ConnectionFactory factory) {
        return new RabbitPublisherBuilder(factory);
    }

    /** This publisher with suitable limits, to register for event types; more rules can be added. */
    public ControlledListener.Builder controlled() {
        return ControlledListener.of(this)
                .name("rabbitmq")
                .concurrency(DEFAULT_CONCURRENCY)
                .circuitBreaker(DEFAULT_BREAKER_FAILURES, DEFAULT_BREAKER_PAUSE)
                .deadOn(MessageRefusedException.class);
    }

    /** Never blocks. */
    @Override
    public CompletionStage<?> onEventAsync(EventEnvelope event) {
        Message message = messages.messageOf(event);
        unanswered.incrementAndGet();
        CompletionStage<?> outcome = message.outcome().whenComplete((done, failure) -> unanswered.decrementAndGet());
        queue.add(message);
        if (closed && queue.remove(message)) {
            message.failed(new IllegalStateException("the RabbitMQ publisher is closed"));
        }
        return outcome;
    }

    private void publish() {
        try {
            while (true) {
                try {
                    Message next = queue.poll(LOOK_NANOS, TimeUnit.NANOSECONDS);
                    if (next != null) {
                        publish(next);
                    } else if (closed && unanswered.get() == 0) {
                        return;
                    }
                } catch (InterruptedException e) {
                    return;
                } catch (Throwable e) {
                    LOG.log(Level.WARNING, "unexpected error in the RabbitMQ publisher; it continues", e);
                }
            }
        } finally {
            cut("the publisher was closed"); // also a connection opened during close
        }
    }

    private void publish(Message message) {
        RabbitConnection current;
        try {
            current = openConnection();
        } catch (IOException | RuntimeException e) {
            failAllQueued(message, new IOException("no connection to RabbitMQ: " + e.getMessage(), e));
            return;
        }
        try {
            current.publish(message, System.nanoTime());
        } catch (ShutdownSignalException e) {
            message.failed(ConfirmingChannel.failure(message, e));
        } catch (IOException e) {
            message.failed(e);
            current.cut("the connection failed: " + e.getMessage());
        } catch (RuntimeException e) { // the client failed to encode the message, so the channel is in an unknown state
            message.failed(e);
            giveUpChannel(current, message.exchange());
        }
    }

    private static void giveUpChannel(RabbitConnection current, String exchange) {
        try {
            current.closeChannel(exchange);
        } catch (IOException | RuntimeException e) {
            current.cut("the connection failed: " + e.getMessage());
        }
    }

    private RabbitConnection openConnection() throws IOException {
        RabbitConnection current = connection;
        if (current == null || !current.isOpen()) {
            if (current != null) {
                LOG.log(Level.INFO, "lost the connection to RabbitMQ; reconnecting");
                current.cut("the connection was lost");
            }
            current = link.open();
            connection = current;
        }
        return current;
    }

    /** Fails all queued messages while there is no connection: they would only wait for the next failure. */
    private void failAllQueued(Message first, IOException failure) {
        for (Message message = first; message != null; message = queue.poll()) {
            message.failed(failure);
        }
    }

    private void watch() {
        while (!closed || publishing.isAlive()) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            RabbitConnection current = connection;
            if (current != null && current.isOverdue(System.nanoTime(), confirmNanos)) {
                LOG.log(
                        Level.WARNING,
                        "RabbitMQ did not confirm within " + Duration.ofNanos(confirmNanos)
                                + "; the connection is aborted, its messages are retried");
                current.cut("not confirmed within " + Duration.ofNanos(confirmNanos));
            }
        }
    }

    /** Waits a while for confirmations; unconfirmed events are delivered again after the next start. */
    @Override
    public void close() {
        closed = true;
        long deadline = System.nanoTime() + CLOSE_NANOS;
        while (unanswered.get() > 0
                && System.nanoTime() < deadline
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(5));
        }
        publishing.interrupt();
        cut("the publisher was closed");
        for (Message message = queue.poll(); message != null; message = queue.poll()) {
            message.failed(new IllegalStateException("the RabbitMQ publisher was closed"));
        }
    }

    private void cut(String why) {
        RabbitConnection current = connection;
        if (current != null) {
            current.cut(why);
        }
    }
}
