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
 * are pipelined: the producer makes batches of what is in flight, and nobody waits for a batch to fill.
 *
 * <p>The key of a record is the aggregate id, so the events of an aggregate share a partition. Their order is that of
 * delivery: with {@code ordered()} an event is sent when the one before it is acknowledged, and a failed one holds those
 * behind it back; without, several events of a key may be in flight and one that failed comes later.
 *
 * <p>A record that no broker will ever take, one that is too large for instance, makes its event dead at once if
 * {@link #controlled()} is registered. Thread-safe. Close it after the outbox.
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
    /** Failures in a row after which the broker is left alone. */
    public static final int DEFAULT_BREAKER_FAILURES = 50;
    /** How long it is left alone then. */
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

    /** An application starts without Kafka; a setting that is wrong is said at once. */
    private @Nullable Producer<byte @Nullable [], byte[]> firstProducer() {
        try {
            return newProducer.get();
        } catch (KafkaException e) {
            if (!SendFailure.isUnknownHost(e)) {
                throw e;
            }
            LOG.log(Level.WARNING, "no name of a Kafka broker can be resolved; each event tries again", e.getCause());
            return null;
        }
    }

    /** @param bootstrapServers as in Kafka's own configuration */
    public static KafkaPublisherBuilder builder(String bootstrapServers) {
        return new KafkaPublisherBuilder(bootstrapServers);
    }

    /** This publisher with rules that suit it, to be registered for event types; more rules can be added. */
    public ControlledListener.Builder controlled() {
        return ControlledListener.of(this)
                .name("kafka")
                .concurrency(DEFAULT_CONCURRENCY)
                .circuitBreaker(DEFAULT_BREAKER_FAILURES, DEFAULT_BREAKER_PAUSE)
                .deadOn(RecordRefusedException.class);
    }

    /**
     * May wait for the broker's metadata, or for room in the producer's memory, as long as {@code max.block.ms} says;
     * otherwise it never blocks.
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
                    "no broker knows the topic " + topic + "; its events stay in the table and one asks again every "
                            + UnknownTopics.PAUSE.toSeconds()
                            + " s. Is there a broker, and does it make topics itself?");
        }
    }

    private Throwable judged(
            Exception failure, EventEnvelope event, String topic, Producer<byte @Nullable [], byte[]> by) {
        return switch (SendFailure.of(failure)) {
            case RECORD ->
                new RecordRefusedException(
                        "topic " + topic + " does not take event " + event.eventId() + ": " + failure.getMessage(),
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
        LOG.log(Level.WARNING, "the Kafka producer cannot go on and is replaced; its events are sent again", why);
        Thread closing = new Thread(() -> broken.close(Duration.ZERO), "outbox-kafka-close"); // not on its own thread
        closing.setDaemon(true);
        closing.start();
    }

    /** Waits a while for records in flight; those not acknowledged by then are delivered again after the next start. */
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
