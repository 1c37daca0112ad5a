package outbox.kafka;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import outbox.spi.NameTemplate;

/** Collects the settings of a {@link KafkaPublisher}; not thread-safe. */
public final class KafkaPublisherBuilder {
    /**
     * How long a send waits for metadata, in milliseconds. Kafka's default is a minute; here a worker would be blocked,
     * and the event is safe in its table.
     */
    public static final int DEFAULT_MAX_BLOCK_MS = 5_000;

    /**
     * Maximum requests in flight per broker. Kafka's default is 5. With more than one, the first batches for a new
     * partition can be reordered: the broker rejects the first and stores the second, and then rejects the first as out
     * of sequence until {@code delivery.timeout.ms} has passed.
     */
    public static final int DEFAULT_MAX_IN_FLIGHT_REQUESTS = 1;

    /** Batch size per partition in bytes. Kafka's default is 16 384; larger batches compensate for fewer requests. */
    public static final int DEFAULT_BATCH_SIZE = 65_536;

    /** Producer settings required for reliable and ordered delivery; they cannot be changed. */
    private static final Map<String, String> FIXED = Map.of(
            ProducerConfig.ACKS_CONFIG,
            "all",
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            "true",
            ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG,
            "false",
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
            ByteArraySerializer.class.getName(),
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
            ByteArraySerializer.class.getName());

    private final Map<String, Object> configuration = new HashMap<>();
    private String topic = KafkaPublisher.DEFAULT_TOPIC;
    private KafkaFormat format = KafkaFormat.DEBEZIUM;
    private @Nullable URI cloudEventsSource;
    private boolean schemaFraming;

    KafkaPublisherBuilder(String bootstrapServers) {
        configuration.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, Objects.requireNonNull(bootstrapServers));
        configuration.put(ProducerConfig.CLIENT_ID_CONFIG, "outbox");
        configuration.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, DEFAULT_MAX_BLOCK_MS);
        configuration.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, DEFAULT_MAX_IN_FLIGHT_REQUESTS);
        configuration.put(ProducerConfig.BATCH_SIZE_CONFIG, DEFAULT_BATCH_SIZE);
    }

    /**
     * The topic of an event; default {@value KafkaPublisher#DEFAULT_TOPIC}. Placeholders: {@code {aggregateType}},
     * {@code {aggregateId}}, {@code {eventType}} and {@code {tenantId}}.
     */
    public KafkaPublisherBuilder topic(String template) {
        NameTemplate unused = new NameTemplate(template); // fails now if the template is invalid
        this.topic = template;
        return this;
    }

    /** Default {@link KafkaFormat#DEBEZIUM}. */
    public KafkaPublisherBuilder format(KafkaFormat format) {
        this.format = Objects.requireNonNull(format, "format");
        return this;
    }

    /**
     * Puts the id of the schema in front of each payload, as consumers with a schema registry expect it. Events need the
     * header {@link outbox.PayloadHeaders#SCHEMA_ID}; those without it are dead.
     */
    public KafkaPublisherBuilder schemaFraming() {
        this.schemaFraming = true;
        return this;
    }

    /** The CloudEvents source; default {@code urn:outbox:} and the aggregate type. */
    public KafkaPublisherBuilder cloudEventsSource(URI source) {
        this.cloudEventsSource = Objects.requireNonNull(source, "source");
        return this;
    }

    /**
     * A setting of Kafka's producer: security, compression, {@code linger.ms}, {@code delivery.timeout.ms}.
     *
     * @throws IllegalArgumentException if it would weaken the guarantees of this publisher
     */
    public KafkaPublisherBuilder producer(String name, Object value) {
        String fixed = FIXED.get(name);
        if (fixed != null && !fixed.equals(value.toString())) {
            throw new IllegalArgumentException(name + " must be " + fixed + " in this publisher, not " + value);
        }
        if (name.equals(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
            throw new IllegalArgumentException(
                    name + " is not supported: the publisher does not use Kafka transactions");
        }
        configuration.put(name, value);
        return this;
    }

    /** Several settings of Kafka's producer, see {@link #producer(String, Object)}. */
    public KafkaPublisherBuilder producer(Map<String, ?> settings) {
        settings.forEach(this::producer);
        return this;
    }

    /**
     * The settings of a producer that the application has anyway: how to connect, security, compression. What this
     * publisher decides itself is not taken from there: {@code acks}, {@code enable.idempotence}, serializers and
     * {@code transactional.id}. The {@code client.id} gets the suffix {@code -outbox}, because two producers of one process
     * cannot have the same.
     */
    public KafkaPublisherBuilder settingsOf(Map<String, ?> otherProducer) {
        otherProducer.forEach((name, value) -> {
            if (name.equals(ProducerConfig.CLIENT_ID_CONFIG)) {
                configuration.put(name, value + "-outbox");
            } else if (!FIXED.containsKey(name) && !name.equals(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
                configuration.put(name, value);
            }
        });
        return this;
    }

    /**
     * @throws IllegalArgumentException if two settings contradict each other
     * @throws org.apache.kafka.common.KafkaException if Kafka rejects a setting
     */
    public KafkaPublisher build() {
        if (cloudEventsSource != null && format == KafkaFormat.DEBEZIUM) {
            throw new IllegalArgumentException("cloudEventsSource is set, but the format is " + format);
        }
        if (schemaFraming && format == KafkaFormat.CLOUDEVENTS_STRUCTURED) {
            throw new IllegalArgumentException(
                    "schemaFraming is set, but the value of " + format + " is a JSON object, which has no schema id");
        }
        Map<String, Object> all = configuration();
        return new KafkaPublisher(
                new RecordMaker(new NameTemplate(topic), format, cloudEventsSource, schemaFraming),
                () -> new KafkaProducer<>(all));
    }

    /** What the producer is made with. */
    Map<String, Object> configuration() {
        Map<String, Object> all = new HashMap<>(configuration);
        all.putAll(FIXED);
        return all;
    }
}
