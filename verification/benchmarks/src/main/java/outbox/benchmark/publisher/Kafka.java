package outbox.benchmark.publisher;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.benchmark.Bench;
import outbox.benchmark.CpuClock;
import outbox.benchmark.Measurement;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.kafka.KafkaPublisher;
import outbox.testing.server.EmbeddedKafka;

/** Records acknowledged by a broker of one node: Kafka's own producer by hand, and this project's publisher. */
public final class Kafka implements Scenario {
    private static final String TOPIC = "outbox.event." + Events.AGGREGATE_TYPE;

    private final boolean raw;
    private @Nullable KafkaProducer<byte[], byte[]> producer;
    private @Nullable KafkaPublisher publisher;

    private Kafka(boolean raw) {
        this.raw = raw;
    }

    public static Kafka raw() {
        return new Kafka(true);
    }

    public static Kafka publisher() {
        return new Kafka(false);
    }

    @Override
    public String id() {
        return raw ? "raw-kafka" : "publisher-kafka";
    }

    @Override
    public String title() {
        return raw
                ? "Kafka's producer by hand: idempotent, acks=all, the same records"
                : "this project's Kafka publisher: events to acknowledged records";
    }

    @Override
    public void setUp(Bench bench) throws Exception {
        String broker = EmbeddedKafka.shared();
        if (raw) {
            producer = new KafkaProducer<>(Map.of(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    broker,
                    ProducerConfig.ACKS_CONFIG,
                    "all",
                    ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                    true,
                    ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                    ByteArraySerializer.class,
                    ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                    ByteArraySerializer.class));
            awaitLeaders(producer);
        } else {
            publisher = KafkaPublisher.builder(broker).build();
        }
    }

    /**
     * A broker names itself as the leader of a new partition a moment before it is. Of five requests in flight the first
     * one can be refused then and the next one accepted, and the producer never gets rid of the first (Kafka 4.3.1). The
     * publisher is not affected, because it has one request in flight.
     */
    private static void awaitLeaders(KafkaProducer<byte[], byte[]> producer) throws Exception {
        for (PartitionInfo partition : producer.partitionsFor(TOPIC)) {
            producer.send(new ProducerRecord<>(TOPIC, partition.partition(), null, utf8("{}")))
                    .get(1, TimeUnit.MINUTES);
        }
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        int count = scale.bulkEvents();
        List<EventEnvelope> events = Events.make(count);
        CpuClock cpu = CpuClock.start();
        Duration took = raw
                ? InFlight.run(count, count, byHand(Objects.requireNonNull(producer), events))
                : InFlight.run(
                        count,
                        KafkaPublisher.DEFAULT_CONCURRENCY,
                        Events.through(Objects.requireNonNull(publisher), events));
        return List.of(Measurement.rate(count, took), cpu.per1000(count));
    }

    private static InFlight.Send byHand(KafkaProducer<byte[], byte[]> producer, List<EventEnvelope> events) {
        return (number, answer) -> {
            EventEnvelope event = events.get(number);
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                    TOPIC,
                    utf8(Objects.requireNonNull(event.aggregateId())),
                    utf8(Objects.requireNonNull(event.payloadJson())));
            record.headers()
                    .add("id", utf8(event.eventId()))
                    .add("eventType", utf8(event.eventType()))
                    .add("occurredAt", utf8(event.occurredAt().toString()));
            Future<?> unused = producer.send(record, (metadata, failure) -> answer.came(failure));
        };
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close(Duration.ofSeconds(5));
        }
        if (publisher != null) {
            publisher.close();
        }
    }
}
