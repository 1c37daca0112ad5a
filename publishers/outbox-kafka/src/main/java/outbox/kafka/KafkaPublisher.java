package outbox.kafka;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.listener.ControlledListener;

/**
 * Sends events to Kafka with an idempotent producer. An event is done when all in-sync replicas have its record. Sends
 * are pipelined: the producer batches what is in flight and does not wait for a batch to fill.
 *
 * <p>The key of a record is the aggregate id, so the events of an aggregate share a partition. With {@code ordered()}
 * an event is sent after the previous one of its key was acknowledged, and a failed one blocks those behind it;
 * otherwise several events of a key may be in flight, and a failed one is sent later, out of order.
 *
 * <p>If {@link #controlled()} is registered, an event whose record can never be accepted, for instance because it is
 * too large, becomes a dead letter at once. Thread-safe. Close it after the outbox.
 *
 * <pre>{@code
 * KafkaPublisher publisher = KafkaPublisher.builder("broker-1:9092,broker-2:9092").build();
 * registry.register("Order", "order.placed", publisher.controlled().build());
 * }</pre>
 */
public final class KafkaPublisher implements AsyncEventListener, AutoCloseable {
    /** The topic of Debezium's outbox event router. */
    public static final String DEFAULT_TOPIC = "outbox.event.{aggregateType}";
    /** Records in flight: enough for the producer's batches, few enough for its memory. */
    public static final int DEFAULT_CONCURRENCY = 2000;
    /** Consecutive failures that open the circuit breaker. */
    public static final int DEFAULT_BREAKER_FAILURES = 50;
    /** How long the circuit breaker stays open. */
    public static final Duration DEFAULT_BREAKER_PAUSE = Duration.ofSeconds(10);

    private static final Logger LOG = System.getLogger(KafkaPublisher.class.getName());
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final RecordMaker records;
    private final Supplier<Producer<byte @Nullable [], byte[]>> newProducer;
    private final UnknownTopics unknownTopics = new UnknownTopics();
    private final Object lock = new Object();
    private volatile @Nullable Producer<byte @Nullable [], byte[]> producer; // written under lock
    private volatile boolean closed; // written under lock

    KafkaPublisher(RecordMaker records, Supplier<Producer<byte @Nullable [], byte[]>> newProducer) {
        this.records = records;
        this.newProducer = newProducer;
        this.producer = firstProducer();
    }

    /** The application can start while Kafka is unavailable, but invalid settings fail at once. */
    private @Nullable Producer<byte @Nullable [], byte[]> firstProducer() {
        try {
            return newProducer.get();
        } catch (KafkaException e) {
            if (!SendFailure.isUnknownHost(e)) {
                throw e;
            }
            LOG.log(Level.WARNING, "cannot resolve any Kafka bootstrap server; retrying with each event", e.getCause());
            return null;
        }
    }

    /** @param bootstrapServers as in Kafka's own configuration */
    public static KafkaPublisherBuilder builder(String bootstrapServers) {
        return new KafkaPublisherBuilder(bootstrapServers);
    }

    /** This publisher with suitable limits, to register for event types; more rules can be added. */
    public ControlledListener.Builder controlled() {
        return ControlledListener.of(this)
                .name("kafka")
                .concurrency(DEFAULT_CONCURRENCY)
                .circuitBreaker(DEFAULT_BREAKER_FAILURES, DEFAULT_BREAKER_PAUSE)
                .deadOn(RecordRefusedException.class);
    }

    /**
     * May block for up to {@code max.block.ms} while waiting for metadata or for space in the producer's buffer.
     */
    @Override
    public CompletionStage<?> onEventAsync(EventEnvelope event) {
        ProducerRecord<byte @Nullable [], byte[]> record = records.recordOf(event);
        String topic = record.topic();
        unknownTopics.check(topic, System.nanoTime());
        CompletableFuture<Void> result = new CompletableFuture<>();
        Producer<byte @Nullable [], byte[]> current = currentProducer();
        try {
            Future<?> unused = current.send(record, (metadata, failure) -> {
                if (failure == null) {
                    unknownTopics.remove(topic);
                    result.complete(null);
                } else {
                    if (SendFailure.isWithoutMetadata(failure, metadata)) {
                        leaveAlone(topic);
                    }
                    result.completeExceptionally(judged(failure, event, topic, current));
                }
            });
        } catch (RuntimeException e) {
            result.completeExceptionally(judged(e, event, topic, current));
        }
        return result;
    }

    private Producer<byte @Nullable [], byte[]> currentProducer() {
        Producer<byte @Nullable [], byte[]> current = producer;
        if (current != null) {
            return current;
        }
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("the Kafka publisher is closed");
            }
            if (producer == null) {
                producer = newProducer.get();
            }
            return Objects.requireNonNull(producer);
        }
    }

    private void leaveAlone(String topic) {
        if (unknownTopics.add(topic, System.nanoTime())) {
            LOG.log(
                    Level.WARNING,
                    "no metadata for topic " + topic + "; its events stay in the table, retrying every "
                            + UnknownTopics.PAUSE.toSeconds()
                            + " s. Check that a broker is reachable and that the topic exists");
        }
    }

    private Throwable judged(
            Exception failure, EventEnvelope event, String topic, Producer<byte @Nullable [], byte[]> by) {
        return switch (SendFailure.of(failure)) {
            case RECORD ->
                new RecordRefusedException(
                        "topic " + topic + " does not accept event " + event.eventId() + ": " + failure.getMessage(),
                        failure);
            case PRODUCER -> {
                discard(by, failure);
                yield failure;
            }
            case PASSING -> failure;
        };
    }

    /** The next event gets a new producer. */
    private void discard(Producer<byte @Nullable [], byte[]> broken, Exception why) {
        synchronized (lock) {
            if (producer != broken || closed) {
                return;
            }
            producer = null;
        }
        LOG.log(Level.WARNING, "the Kafka producer failed and is replaced; its events are retried", why);
        Thread closing =
                new Thread(() -> broken.close(Duration.ZERO), "outbox-kafka-close"); // not on the producer's own thread
        closing.setDaemon(true);
        closing.start();
    }

    /** Waits a while for records in flight; unacknowledged events are delivered again after the next start. */
    @Override
    public void close() {
        Producer<byte @Nullable [], byte[]> current;
        synchronized (lock) {
            closed = true;
            current = producer;
            producer = null;
        }
        if (current != null) {
            current.close(CLOSE_TIMEOUT);
        }
    }
}
