package outbox.samples.consumer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads the topic of the orders and books each record; the offset is committed afterwards. */
final class KafkaSide {
    private static final String TOPIC = "outbox.event.Order";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String bootstrapServers;
    private final Bookkeeping bookkeeping;

    KafkaSide(String bootstrapServers, Bookkeeping bookkeeping) {
        this.bootstrapServers = bootstrapServers;
        this.bookkeeping = bookkeeping;
    }

    /**
     * Consumes until it has seen so many records.
     *
     * @param crash whether to stop before the offsets are committed, as a process does that dies here
     */
    Tally consume(int records, boolean crash) throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "group.id",
                "bookkeeping",
                "enable.auto.commit",
                false,
                "auto.offset.reset",
                "earliest",
                "key.deserializer",
                StringDeserializer.class,
                "value.deserializer",
                StringDeserializer.class);
        Tally tally = new Tally();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings)) {
            consumer.subscribe(List.of(TOPIC));
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (tally.seen() < records) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("only " + tally.seen() + " of " + records + " records came");
                }
                for (ConsumerRecord<String, String> message : consumer.poll(Duration.ofMillis(200))) {
                    tally.add(bookkeeping.book(idOf(message), "kafka", message.value()));
                }
                if (!crash) {
                    consumer.commitSync();
                }
            }
        }
        return tally;
    }

    /** The event's id, which outbox-kafka and Debezium's router put into this header. */
    private static String idOf(ConsumerRecord<String, String> message) {
        Header id = message.headers().lastHeader("id");
        if (id == null) {
            throw new IllegalArgumentException("a record without the header 'id' at offset " + message.offset());
        }
        return new String(id.value(), StandardCharsets.UTF_8);
    }
}
