package outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.listener.ControlledListener;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;
import outbox.testing.server.EmbeddedKafka;

/** What a real consumer sees behind a real broker. */
class KafkaPublisherIT {
    private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    private static final String BROKER = EmbeddedKafka.shared();

    private static EventEnvelope.Builder event(String aggregateType) {
        return EventEnvelope.builder("order.placed")
                .aggregateType(aggregateType)
                .aggregateId("42")
                .tenantId("acme")
                .occurredAt(Instant.parse("2026-01-01T00:00:00.5Z"))
                .header("traceparent", PARENT)
                .header("tracestate", "a=b")
                .header("request-id", "r-1")
                .payloadJson("{\"name\":\"Bücher\"}");
    }

    private static KafkaPublisherBuilder builder() {
        // A broker on a busy machine may be held up for long.
        return KafkaPublisher.builder(BROKER)
                .producer("max.block.ms", 120_000)
                .producer("delivery.timeout.ms", 600_000);
    }

    private static ConsumerRecord<String, String> sent(KafkaPublisherBuilder builder, EventEnvelope event) {
        try (KafkaPublisher publisher = builder.build()) {
            publisher.onEventAsync(event).toCompletableFuture().join();
        }
        List<ConsumerRecord<String, String>> records = KafkaReader.all(BROKER, "outbox.event." + event.aggregateType());
        assertThat(records).hasSize(1);
        return records.get(0);
    }

    @Test
    void consumersOfDebeziumsRouterFindWhatTheyKnow() {
        EventEnvelope event = event("Order").build();
        ConsumerRecord<String, String> record = sent(builder(), event);
        assertThat(record.topic()).isEqualTo("outbox.event.Order");
        assertThat(record.key()).isEqualTo("42");
        assertThat(record.value()).isEqualTo("{\"name\":\"Bücher\"}");
        assertThat(KafkaReader.header(record, "id")).isEqualTo(event.eventId());
        assertThat(KafkaReader.header(record, "eventType")).isEqualTo("order.placed");
        assertThat(KafkaReader.header(record, "tenantId")).isEqualTo("acme");
        assertThat(KafkaReader.header(record, "occurredAt")).isEqualTo("2026-01-01T00:00:00.500Z");
        assertThat(KafkaReader.header(record, "traceparent")).isEqualTo(PARENT);
        assertThat(KafkaReader.header(record, "tracestate")).isEqualTo("a=b");
        assertThat(KafkaReader.header(record, "request-id")).isEqualTo("r-1");
    }

    @Test
    void cloudEventsInBinaryModeAreThePayloadAndHeaders() {
        EventEnvelope event = event("CloudBinary").build();
        ConsumerRecord<String, String> record = sent(
                builder().format(KafkaFormat.CLOUDEVENTS_BINARY).cloudEventsSource(URI.create("https://shop.example")),
                event);
        assertThat(record.key()).isEqualTo("42");
        assertThat(record.value()).isEqualTo("{\"name\":\"Bücher\"}");
        Map<String, String> expected = Map.ofEntries(
                Map.entry("ce_specversion", "1.0"),
                Map.entry("ce_id", event.eventId()),
                Map.entry("ce_source", "https://shop.example"),
                Map.entry("ce_type", "order.placed"),
                Map.entry("ce_time", "2026-01-01T00:00:00.500Z"),
                Map.entry("ce_subject", "42"),
                Map.entry("ce_partitionkey", "42"),
                Map.entry("ce_tenantid", "acme"),
                Map.entry("ce_traceparent", PARENT),
                Map.entry("content-type", "application/json"),
                Map.entry("traceparent", PARENT));
        expected.forEach((name, value) ->
                assertThat(KafkaReader.header(record, name)).as(name).isEqualTo(value));
    }

    @Test
    void cloudEventsInStructuredModeAreOneObject() {
        EventEnvelope event = event("CloudStructured").headers(Map.of()).build();
        ConsumerRecord<String, String> record = sent(builder().format(KafkaFormat.CLOUDEVENTS_STRUCTURED), event);
        assertThat(KafkaReader.header(record, "content-type")).startsWith("application/cloudevents+json");
        assertThat(record.value())
                .isEqualTo("{\"specversion\":\"1.0\",\"id\":\"" + event.eventId()
                        + "\",\"source\":\"urn:outbox:CloudStructured\",\"type\":\"order.placed\","
                        + "\"time\":\"2026-01-01T00:00:00.500Z\",\"datacontenttype\":\"application/json\","
                        + "\"subject\":\"42\",\"partitionkey\":\"42\",\"tenantid\":\"acme\","
                        + "\"data\":{\"name\":\"Bücher\"}}");
        EventEnvelope bytes = event("CloudBytes")
                .payloadJson(null)
                .payloadBytes(new byte[] {'{', '}'}) // stays bytes, though it looks like JSON
                .build();
        assertThat(sent(builder().format(KafkaFormat.CLOUDEVENTS_STRUCTURED), bytes)
                        .value())
                .endsWith(",\"data_base64\":\"e30=\"}");
    }

    @Test
    void theEventsOfAnAggregateShareAPartition() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", BROKER))) {
            admin.createTopics(List.of(new NewTopic("outbox.event.Keyed", 4, (short) 1)))
                    .all()
                    .get();
        }
        List<CompletableFuture<?>> sent = new ArrayList<>();
        try (KafkaPublisher publisher = builder().build()) {
            for (int i = 0; i < 500; i++) {
                sent.add(publisher
                        .onEventAsync(
                                event("Keyed").aggregateId("key-" + i % 20).build())
                        .toCompletableFuture());
            }
            sent.forEach(CompletableFuture::join);
        }
        Map<String, Set<Integer>> partitions = KafkaReader.all(BROKER, "outbox.event.Keyed").stream()
                .collect(Collectors.groupingBy(
                        ConsumerRecord::key, Collectors.mapping(ConsumerRecord::partition, Collectors.toSet())));
        assertThat(partitions).hasSize(20);
        assertThat(partitions.values()).allSatisfy(one -> assertThat(one).hasSize(1));
    }

    @Test
    void aRecordThatIsTooLargeIsDeadWithItsCauseAndOthersGoOn() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", BROKER))) {
            // The broker refuses what the producer would still send.
            admin.createTopics(List.of(new NewTopic("outbox.event.Small", 1, (short) 1)
                            .configs(Map.of("max.message.bytes", "2000"))))
                    .all()
                    .get();
        }
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTxContext transactions = store.txContext();
        EventEnvelope small = event("Small").build();
        EventEnvelope large =
                event("Small").payloadJson("\"" + "x".repeat(5000) + "\"").build();
        EventEnvelope huge =
                event("Small").payloadJson("\"" + "x".repeat(900_000) + "\"").build();
        try (KafkaPublisher publisher =
                        builder().producer("max.request.size", 100_000).build();
                Outbox outbox =
                        outbox(store, transactions, publisher.controlled().build())) {
            transactions.inTransaction(() -> outbox.writer().writeAll(List.of(large, huge, small)));
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                assertThat(store.count(EventStatus.DEAD)).isEqualTo(2);
                assertThat(store.count(EventStatus.DONE)).isEqualTo(1);
            });
        }
        for (EventEnvelope dead : List.of(large, huge)) {
            assertThat(store.row(dead.eventId()).lastError())
                    .contains("outbox.event.Small")
                    .contains("larger than");
        }
        assertThat(KafkaReader.all(BROKER, "outbox.event.Small")).hasSize(1);
    }

    private static Outbox outbox(
            InMemoryOutboxStore store, InMemoryTxContext transactions, ControlledListener listener) {
        return Outbox.singleNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(transactions)
                .listeners((aggregateType, eventType) -> listener)
                .build()
                .start();
    }

    @Test
    void withoutABrokerTheAttemptFailsInTimeAndTheEventWaits() {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTxContext transactions = store.txContext();
        EventEnvelope event = event("Nowhere").build();
        try (KafkaPublisher publisher = KafkaPublisher.builder("127.0.0.1:1")
                        .producer("max.block.ms", 300)
                        .build();
                Outbox outbox = Outbox.singleNode()
                        .store(store)
                        .connections(store.connectionProvider())
                        .transactions(transactions)
                        .listeners(new DefaultListenerRegistry()
                                .register(
                                        "Nowhere",
                                        "order.placed",
                                        publisher.controlled().build()))
                        .build()
                        .start()) {
            transactions.inTransaction(() -> outbox.writer().write(event));
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() ->
                            assertThat(store.row(event.eventId()).status()).isEqualTo(EventStatus.RETRY));
            assertThat(store.row(event.eventId()).lastError()).contains("300 ms");
        }
    }
}
