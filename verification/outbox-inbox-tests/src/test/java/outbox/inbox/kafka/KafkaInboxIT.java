package outbox.inbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventListener;
import outbox.inbox.DurableInbox;
import outbox.inbox.DurableInboxBuilder;
import outbox.inbox.Inbox;
import outbox.inbox.InboxCounts;
import outbox.inbox.InboxMessage;
import outbox.inbox.Receipt;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.JdbcTemplate.Binder;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedKafka;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** Consumers that come, go and die on a real broker and a real database. */
class KafkaInboxIT {
    private static final Duration LONG = Duration.ofMinutes(4);
    private static final String BROKER = EmbeddedKafka.shared();

    private final String topic = "orders-" + UUID.randomUUID();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private HikariDataSource dataSource;

    @BeforeEach
    void open() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", BROKER))) {
            admin.createTopics(List.of(new NewTopic(topic, 4, (short) 1))).all().get();
        }
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(1);
        dataSource = new HikariDataSource(config);
        AbstractJdbcOutboxStore store =
                JdbcOutboxStores.detect(database.jdbcUrl()).withTable(DurableInbox.DEFAULT_TABLE);
        try (Connection conn = dataSource.getConnection()) {
            store.schema().apply(conn);
            store.orderedSchema().apply(conn);
        }
        open.push(database::drop);
        open.push(dataSource);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private DurableInboxBuilder inbox(EventListener listener) {
        return DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(new DefaultListenerRegistry().register("order.placed", listener))
                .deadLetterInvalid()
                .engine(engine -> engine.pollInterval(Duration.ofMillis(50)).ordered());
    }

    private DurableInbox started(DurableInboxBuilder builder) {
        DurableInbox inbox = builder.build().start();
        open.push(inbox);
        return inbox;
    }

    private KafkaInboxBuilder consumer(Inbox inbox) {
        return KafkaInbox.builder(inbox, BROKER)
                .groupId(topic)
                .topics(topic)
                .consumer("max.poll.records", 50)
                .consumer("metadata.max.age.ms", 1_000);
    }

    /** A lost record would look like one that was not received. */
    private void send(int from, int to, int keys) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = from; i < to; i++) {
                sent.add(producer.send(record(i, keys)));
            }
            for (Future<RecordMetadata> each : sent) {
                var unused = each.get();
            }
        }
    }

    private static KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                // With several requests in flight, the idempotent producer may never recover from
                // NOT_LEADER_OR_FOLLOWER on a
                // topic that was just created: its later batches fail with OUT_OF_ORDER_SEQUENCE again and again.
                Map.of(
                        "bootstrap.servers",
                        BROKER,
                        "max.block.ms",
                        120_000,
                        "max.in.flight.requests.per.connection",
                        1),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private ProducerRecord<byte[], byte[]> record(int number, int keys) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, utf8("k-" + number % keys), utf8("" + number));
        record.headers().add("id", utf8("m-" + number)).add("eventType", utf8("order.placed"));
        return record;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<String> query(String sql) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return JdbcTemplate.query(conn, sql, Binder.NOTHING, row -> row.getString(1));
        }
    }

    private void awaitDone(int count) {
        await().atMost(LONG)
                .until(() -> query("SELECT COUNT(*) FROM inbox_event WHERE status = 1")
                        .equals(List.of("" + count)));
    }

    /** A consumer that stores, and dies before it commits offsets: its commit never arrives, and then poll fails. */
    private static Consumer<byte @Nullable [], byte @Nullable []> mortal(Map<String, Object> settings, int polls) {
        Consumer<byte[], byte[]> real =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        AtomicInteger records = new AtomicInteger();
        @SuppressWarnings("unchecked")
        Consumer<byte @Nullable [], byte @Nullable []> mortal =
                (Consumer<byte @Nullable [], byte @Nullable []>) Proxy.newProxyInstance(
                        KafkaInboxIT.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, args) -> {
                            if (method.getName().equals("commitSync") && records.incrementAndGet() >= polls) {
                                throw new TimeoutException("the process died before its commit");
                            }
                            if (method.getName().equals("poll") && records.get() > polls + 2) {
                                throw new TimeoutException("the process died");
                            }
                            try {
                                return method.invoke(real, args);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
        return mortal;
    }

    @Test
    void everyRecordIsHandledOnceAndInOrderWhileConsumersDieAndPartitionsMove() throws Exception {
        int count = 4_000;
        int keys = 40;
        Map<String, List<Integer>> handled = new ConcurrentHashMap<>();
        EventListener listener = event -> handled.computeIfAbsent(
                        event.aggregateId(), key -> Collections.synchronizedList(new ArrayList<>()))
                .add(Integer.parseInt(new String(event.payloadBytes(), StandardCharsets.UTF_8)));
        DurableInbox one = started(inbox(listener));
        DurableInbox two = started(inbox(listener));
        AtomicInteger lives = new AtomicInteger();
        KafkaInbox dying = consumer(one)
                .consumers(settings -> {
                    lives.incrementAndGet();
                    return mortal(settings, 3);
                })
                .build()
                .start();
        open.push(dying);

        int moves = 0;
        for (int from = 0; from < count; from += 500) {
            send(from, from + 500, keys);
            int enough = from / 2;
            try (KafkaInbox passing = consumer(two).build().start()) {
                await().atMost(LONG)
                        .until(() -> Integer.parseInt(query("SELECT COUNT(*) FROM inbox_event")
                                        .get(0))
                                > enough);
                moves++;
            }
        }
        KafkaInbox staying = consumer(two).build().start();
        open.push(staying);
        awaitDone(count);

        assertThat(moves).isEqualTo(8);
        assertThat(lives.get()).as("consumers that died").isGreaterThan(1);
        assertThat(one.counts().duplicates() + two.counts().duplicates())
                .as("records that came again")
                .isPositive();
        for (int key = 0; key < keys; key++) {
            int first = key;
            assertThat(handled.get("k-" + key))
                    .containsExactlyElementsOf(IntStream.range(0, count / keys)
                            .map(i -> first + i * keys)
                            .boxed()
                            .toList());
        }
    }

    @Test
    void badRecordsAreDeadLettersAndTheirPartitionGoesOn() throws Exception {
        DurableInbox inbox = started(inbox(event -> {}));
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            byte[] key = utf8("k");
            ProducerRecord<byte[], byte[]> foreign = new ProducerRecord<>(topic, key, utf8("no headers at all"));
            ProducerRecord<byte[], byte[]> longType = new ProducerRecord<>(topic, key, utf8("1"));
            longType.headers().add("eventType", utf8("t".repeat(300)));
            ProducerRecord<byte[], byte[]> unmapped = new ProducerRecord<>(topic, key, null);
            unmapped.headers().add("fail", utf8("yes"));
            ProducerRecord<byte[], byte[]> cloudEvent = new ProducerRecord<>(topic, utf8("other"), utf8("{}"));
            cloudEvent
                    .headers()
                    .add("ce_id", utf8("1"))
                    .add("ce_source", utf8("urn:shop"))
                    .add("ce_type", utf8("order.placed"));
            for (ProducerRecord<byte[], byte[]> each : List.of(longType, foreign, unmapped, cloudEvent)) {
                producer.send(each).get();
            }
        }
        open.push(consumer(inbox)
                .mapping(record -> {
                    if (record.headers().lastHeader("fail") != null) {
                        throw new IllegalStateException("no idea what this is");
                    }
                    return KafkaMessages.of(record);
                })
                .build()
                .start());

        awaitDone(1);
        await().atMost(LONG)
                .untilAsserted(() ->
                        assertThat(query("SELECT COUNT(*) FROM inbox_event")).containsExactly("4"));
        assertThat(query("SELECT event_id FROM inbox_event WHERE status = 1"))
                .containsExactly(inbox.eventIdOf("urn:shop/1"));
        assertThat(query("SELECT event_type FROM inbox_event WHERE status <> 1"))
                .containsExactlyInAnyOrder("inbox.invalid", topic, KafkaMessages.UNMAPPED);
        assertThat(query("SELECT headers->>'inbox-mapping-error' FROM inbox_event WHERE event_type = 'inbox.unmapped'"))
                .allMatch(error -> error.contains("no idea what this is"));
    }

    @Test
    void consumingPausesWhileTheDatabaseFailsOrTooManyMessagesWait() throws Exception {
        DurableInbox inbox = started(inbox(event -> {}));
        send(0, 300, 10);
        execute("ALTER TABLE inbox_event RENAME TO away");
        KafkaInbox kafka = consumer(inbox).build().start();
        open.push(kafka);
        await().atMost(LONG).until(kafka::isPaused);
        execute("ALTER TABLE away RENAME TO inbox_event");
        awaitDone(300);
        await().atMost(LONG).until(() -> !kafka.isPaused());
        kafka.close();

        inbox.stop();
        send(300, 600, 10);
        KafkaInbox limited =
                consumer(inbox).maxPending(100).consumer("max.poll.records", 10).build();
        open.push(limited.start());
        await().atMost(LONG).until(limited::isPaused);
        inbox.start();
        awaitDone(600);
    }

    /** Fails with errors until it is well. */
    private record Erring(Inbox inbox, AtomicBoolean well, List<Integer> sizes) implements Inbox {
        @Override
        public String group() {
            return inbox.group();
        }

        @Override
        public Receipt receive(InboxMessage message) {
            return receiveAll(List.of(message)).get(0);
        }

        @Override
        public List<Receipt> receiveAll(List<InboxMessage> messages) {
            if (!well.get()) {
                sizes.add(messages.size());
                throw new NoClassDefFoundError("of a driver");
            }
            return inbox.receiveAll(messages);
        }

        @Override
        public boolean deadLettersInvalid() {
            return inbox.deadLettersInvalid();
        }

        @Override
        public int pending(int atMost) {
            return inbox.pending(atMost);
        }

        @Override
        public InboxCounts counts() {
            return inbox.counts();
        }
    }

    @Test
    void anErrorPausesConsumingAsAFailureDoes() throws Exception {
        Erring erring = new Erring(started(inbox(event -> {})), new AtomicBoolean(), new CopyOnWriteArrayList<>());
        send(0, 300, 10);
        KafkaInbox kafka = consumer(erring).build().start();
        open.push(kafka);
        await().atMost(LONG).until(() -> erring.sizes.size() >= 5);

        assertThat(erring.sizes).as("what one poll fetched, and no more").allMatch(size -> size <= 50);
        assertThat(kafka.isPaused()).isTrue();
        erring.well.set(true);
        awaitDone(300);
        await().atMost(LONG).until(() -> !kafka.isPaused());
    }

    @Test
    void aRecordThatOverflowsTheStackOfTheMappingIsStoredAsUnmapped() throws Exception {
        DurableInbox inbox = started(inbox(event -> {}));
        send(0, 10, 10);
        open.push(consumer(inbox)
                .mapping(record -> {
                    InboxMessage message = KafkaMessages.of(record);
                    if ("m-7".equals(message.id())) {
                        throw new StackOverflowError();
                    }
                    return message;
                })
                .build()
                .start());

        awaitDone(9);
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(query("SELECT event_type FROM inbox_event WHERE status <> 1"))
                        .containsExactly(KafkaMessages.UNMAPPED));
    }

    private void execute(String sql) throws SQLException {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void anInboxThatThrowsAtInvalidMessagesIsRefused() {
        DurableInbox strict = DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(new DefaultListenerRegistry())
                .build();
        open.push(strict);
        assertThatThrownBy(() -> consumer(strict).build()).hasMessageContaining("deadLetterInvalid()");
        assertThatThrownBy(() -> KafkaInbox.builder(strict, BROKER).topics("t").build())
                .hasMessageContaining("groupId(...)");
    }
}
