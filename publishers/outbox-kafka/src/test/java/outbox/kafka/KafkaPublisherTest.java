package outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.NotAttemptedException;
import outbox.spi.NameTemplate;

/** How failures of the producer are told apart, on Kafka's own mock of it. */
class KafkaPublisherTest {
    private final List<MockProducer<byte[], byte[]>> producers = new ArrayList<>();
    private final KafkaPublisher publisher = new KafkaPublisher(
            new RecordMaker(new NameTemplate(KafkaPublisher.DEFAULT_TOPIC), KafkaFormat.DEBEZIUM, null),
            this::newProducer);

    private MockProducer<byte[], byte[]> newProducer() {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        producers.add(producer);
        return producer;
    }

    private static EventEnvelope event() {
        return EventEnvelope.builder("order.placed")
                .aggregateType("Order")
                .aggregateId("42")
                .payloadJson("{}")
                .build();
    }

    private CompletableFuture<?> send() {
        return publisher.onEventAsync(event()).toCompletableFuture();
    }

    private MockProducer<byte[], byte[]> producer() {
        return producers.get(producers.size() - 1);
    }

    @Test
    void manyRecordsAreInFlightAndEachIsDoneWhenItIsAcknowledged() {
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            sent.add(send());
        }
        assertThat(producer().history()).hasSize(1000);
        assertThat(sent).noneMatch(CompletableFuture::isDone);
        producer().completeNext();
        assertThat(sent.get(0)).isCompleted();
        assertThat(sent.get(1)).isNotDone();
        while (producer().completeNext()) {}
        assertThat(sent).allMatch(CompletableFuture::isDone);
    }

    @Test
    void aRecordThatIsAtFaultIsRefusedWithItsCause() {
        for (RuntimeException cause : List.of(
                new RecordTooLargeException("too large"),
                new InvalidTopicException("bad name"),
                new InvalidRecordException("no key"))) {
            CompletableFuture<?> sent = send();
            producer().errorNext(cause);
            assertThatThrownBy(sent::join)
                    .cause()
                    .isInstanceOf(RecordRefusedException.class)
                    .hasMessageContaining(cause.getMessage())
                    .hasMessageContaining("outbox.event.Order")
                    .hasCause(cause);
        }
        assertThat(producers).hasSize(1);
    }

    @Test
    void whatMayPassIsAnOrdinaryFailure() {
        for (RuntimeException cause : List.of(
                new TimeoutException("slow"),
                new NetworkException("gone"),
                new NotEnoughReplicasException("few"),
                new UnknownTopicOrPartitionException("not yet"),
                new TopicAuthorizationException("not allowed yet"),
                new OutOfOrderSequenceException("the producer starts a new epoch by itself"))) {
            CompletableFuture<?> sent = send();
            producer().errorNext(cause);
            assertThatThrownBy(sent::join).hasCause(cause);
        }
        assertThat(producers).hasSize(1);
    }

    @Test
    void aProducerThatCanNotGoOnIsReplaced() {
        for (RuntimeException cause : List.of(
                new ClusterAuthorizationException("no"),
                new AuthenticationException("wrong password"),
                new ProducerFencedException("fenced"),
                new KafkaException("we are in an error state", new AuthenticationException("wrong password")))) {
            MockProducer<byte[], byte[]> broken = producer();
            CompletableFuture<?> first = send();
            CompletableFuture<?> second = send();
            broken.errorNext(cause);
            broken.errorNext(cause);
            assertThatThrownBy(first::join).hasCause(cause);
            assertThatThrownBy(second::join).hasCause(cause);
            await().atMost(Duration.ofMinutes(1)).until(broken::closed);
            CompletableFuture<?> next = send();
            producer().completeNext();
            assertThat(next).isCompleted();
            assertThat(producer()).isNotSameAs(broken);
        }
        assertThat(producers).hasSize(5);
    }

    @Test
    void aTopicNobodyKnowsKeepsNoWorkerWaiting() {
        try (KafkaPublisher nowhere = KafkaPublisher.builder("127.0.0.1:1")
                .producer("max.block.ms", 200)
                .build()) {
            CompletableFuture<?> asking = nowhere.onEventAsync(event()).toCompletableFuture();
            assertThatThrownBy(asking::join)
                    .hasCauseInstanceOf(TimeoutException.class)
                    .hasMessageContaining("outbox.event.Order");
            assertThatThrownBy(() -> nowhere.onEventAsync(event()))
                    .isInstanceOfSatisfying(
                            NotAttemptedException.class,
                            e -> assertThat(e.delay()).isBetween(Duration.ofSeconds(1), UnknownTopics.PAUSE))
                    .hasMessageContaining("outbox.event.Order");
        }
    }

    @Test
    void oneEventAsksAgainForATopicNobodyKnew() {
        UnknownTopics topics = new UnknownTopics();
        long pause = UnknownTopics.PAUSE.toNanos();
        assertThat(topics.add("t", 0)).isTrue();
        assertThatThrownBy(() -> topics.check("t", pause - 1)).isInstanceOf(NotAttemptedException.class);
        topics.check("other", 0);
        topics.check("t", pause);
        assertThatThrownBy(() -> topics.check("t", pause)).isInstanceOf(NotAttemptedException.class);
        assertThat(topics.add("t", pause)).isFalse();
        topics.remove("t");
        topics.check("t", pause);
    }

    @Test
    void anApplicationStartsThoughNoBrokerHasAnAddress() {
        try (KafkaPublisher nowhere =
                KafkaPublisher.builder("kafka.invalid:9092").build()) {
            assertThatThrownBy(() -> nowhere.onEventAsync(event()))
                    .hasRootCauseMessage("No resolvable bootstrap urls given in bootstrap.servers");
        }
        assertThatThrownBy(() -> KafkaPublisher.builder("kafka:port").build())
                .isInstanceOf(KafkaException.class)
                .hasRootCauseMessage("Invalid url in bootstrap.servers: kafka:port");
    }

    @Test
    void aProducerThatThrowsIsAFailedAttempt() {
        producer().sendException = new TimeoutException("no metadata");
        assertThatThrownBy(() -> send().join()).hasCauseInstanceOf(TimeoutException.class);
        producer().sendException = new IllegalStateException("closed");
        assertThatThrownBy(() -> send().join()).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(producers).hasSize(1);
        CompletableFuture<?> next = send();
        assertThat(producers).hasSize(2);
        producer().completeNext();
        assertThat(next).isCompleted();
    }

    @Test
    void aClosedPublisherClosesItsProducerAndSendsNothing() {
        publisher.close();
        assertThat(producer().closed()).isTrue();
        assertThatThrownBy(this::send).isInstanceOf(IllegalStateException.class);
        publisher.close();
        assertThat(producers).hasSize(1);
    }

    @Test
    void anEventWithoutALegalTopicIsRefused() {
        EventEnvelope odd = EventEnvelope.builder("x")
                .aggregateType("Über/Order")
                .payloadJson("{}")
                .build();
        assertThatThrownBy(() -> publisher.onEventAsync(odd))
                .isInstanceOf(RecordRefusedException.class)
                .hasMessageContaining("Über/Order");
        RecordMaker byTenant = new RecordMaker(new NameTemplate("{tenantId}"), KafkaFormat.DEBEZIUM, null);
        assertThatThrownBy(() -> byTenant.recordOf(event()))
                .isInstanceOf(RecordRefusedException.class)
                .hasMessageContaining("{tenantId}");
    }

    @Test
    void eventsWithoutAnAggregateHaveNoKey() {
        ProducerRecord<byte[], byte[]> record = new RecordMaker(
                        new NameTemplate(KafkaPublisher.DEFAULT_TOPIC), KafkaFormat.DEBEZIUM, null)
                .recordOf(EventEnvelope.ofJson("x", "{}"));
        assertThat(record.key()).isNull();
        assertThat(record.topic()).isEqualTo("outbox.event.__GLOBAL__");
    }

    /** Two producers of one id, weak acknowledgements or a transaction would each be refused by Kafka or by this publisher. */
    @Test
    void settingsOfAnotherProducerAreTakenOverWithoutWhatWouldWeakenDelivery() {
        KafkaPublisherBuilder builder = KafkaPublisher.builder("localhost:9092")
                .settingsOf(Map.of(
                        "acks", "0",
                        "enable.idempotence", "false",
                        "transactional.id", "tx",
                        "value.serializer", "no.such.Serializer",
                        "client.id", "shop",
                        "compression.type", "lz4"));
        builder.build().close();
        assertThat(builder.configuration())
                .containsEntry("client.id", "shop-outbox")
                .containsEntry("compression.type", "lz4")
                .containsEntry("acks", "all")
                .doesNotContainKey("transactional.id");
    }

    @Test
    void settingsThatWouldWeakenDeliveryAreRefused() {
        KafkaPublisherBuilder builder = KafkaPublisher.builder("localhost:9092");
        for (Map.Entry<String, ?> setting : Map.of(
                        "acks",
                        "1",
                        "enable.idempotence",
                        false,
                        "transactional.id",
                        "t",
                        "value.serializer",
                        "x",
                        "partitioner.ignore.keys",
                        true)
                .entrySet()) {
            assertThatThrownBy(() -> builder.producer(setting.getKey(), setting.getValue()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(setting.getKey());
        }
        builder.producer(Map.of("acks", "all", "enable.idempotence", true, "linger.ms", 10));
        assertThatThrownBy(() -> builder.cloudEventsSource(URI.create("urn:x")).build())
                .hasMessageContaining("cloudEventsSource");
        assertThatThrownBy(() -> builder.topic("{nothing}")).isInstanceOf(IllegalArgumentException.class);
    }
}
