package outbox.inbox.kafka;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import outbox.inbox.Inbox;
import outbox.inbox.InboxMessage;

/** Collects the settings of a {@link KafkaInbox}. Not thread-safe. */
public final class KafkaInboxBuilder {
    /** How many messages may wait before partitions are paused. */
    public static final int DEFAULT_MAX_PENDING = 100_000;

    private final Inbox inbox;
    private final Map<String, Object> settings = new HashMap<>();
    private final Set<String> topics = new LinkedHashSet<>();
    private Function<ConsumerRecord<byte @Nullable [], byte @Nullable []>, InboxMessage> mapping = KafkaMessages::of;
    private int maxPending = DEFAULT_MAX_PENDING;
    private Supplier<Consumer<byte @Nullable [], byte @Nullable []>> consumers =
            () -> new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());

    KafkaInboxBuilder(Inbox inbox, String bootstrapServers) {
        this.inbox = Objects.requireNonNull(inbox, "inbox");
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, Objects.requireNonNull(bootstrapServers, "servers"));
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    }

    /** Required: Kafka's consumer group. Usually the group of the inbox. */
    public KafkaInboxBuilder groupId(String groupId) {
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, Objects.requireNonNull(groupId, "groupId"));
        return this;
    }

    /** Required. */
    public KafkaInboxBuilder topics(String... names) {
        topics.addAll(List.of(names));
        return this;
    }

    /**
     * A setting of the Kafka consumer, such as {@code max.poll.records} or {@code security.protocol}. Offsets are never
     * committed automatically, whatever is set here.
     */
    public KafkaInboxBuilder consumer(String name, Object value) {
        settings.put(name, value);
        return this;
    }

    /**
     * Makes messages of records; default {@link KafkaMessages#of}. A record for which it throws is stored with the type
     * {@value KafkaMessages#UNMAPPED}, and is a dead letter unless there is a handler for that.
     */
    public KafkaInboxBuilder mapping(
            Function<ConsumerRecord<byte @Nullable [], byte @Nullable []>, InboxMessage> mapping) {
        this.mapping = Objects.requireNonNull(mapping, "mapping");
        return this;
    }

    /** Pauses while this many messages wait to be handled; default {@value #DEFAULT_MAX_PENDING}. */
    public KafkaInboxBuilder maxPending(int maxPending) {
        if (maxPending <= 0) {
            throw new IllegalArgumentException("maxPending must be positive: " + maxPending);
        }
        this.maxPending = maxPending;
        return this;
    }

    /** For tests: consumers that fail. */
    KafkaInboxBuilder consumers(Function<Map<String, Object>, Consumer<byte @Nullable [], byte @Nullable []>> factory) {
        this.consumers = () -> factory.apply(settings);
        return this;
    }

    /** @throws IllegalArgumentException if a setting is missing */
    public KafkaInbox build() {
        if (topics.isEmpty() || settings.get(ConsumerConfig.GROUP_ID_CONFIG) == null) {
            throw new IllegalArgumentException("an inbox of Kafka needs "
                    + (topics.isEmpty() ? "topics(...)" : "groupId(...)") + ", which is not set");
        }
        if (!inbox.deadLettersInvalid()) {
            throw new IllegalArgumentException(
                    "build the inbox with deadLetterInvalid(): otherwise a record that cannot be"
                            + " stored would hold up its partition for ever");
        }
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        return new KafkaInbox(inbox, consumers, Set.copyOf(topics), mapping, maxPending);
    }
}
