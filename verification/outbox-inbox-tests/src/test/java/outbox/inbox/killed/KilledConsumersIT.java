package outbox.inbox.killed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.inbox.DurableInbox;
import outbox.inbox.InboxMessage;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedKafka;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedQpid;
import outbox.testing.server.InstalledRabbitMq;
import outbox.testing.server.TestDatabase;

/**
 * Processes that are killed ({@code SIGKILL}) again and again while they consume; the business table says how often each
 * effect happened. With {@code -Doutbox.test.inbox.messages=50000} in the long form.
 */
class KilledConsumersIT {
    private static final int MESSAGES = Integer.getInteger("outbox.test.inbox.messages", 2_000);
    private static final int MESSAGES_PER_KILL = 500;
    private static final int PROCESSES = 2;
    private static final int KEYS = 50;
    private static final int PARTITIONS = 6;
    private static final Duration LONG = Duration.ofMinutes(10).plusSeconds(MESSAGES / 10);

    private final String name = "money-" + UUID.randomUUID();
    private final List<Process> processes = new ArrayList<>();
    private TestDatabase database;
    private int starts;

    @BeforeEach
    void open() throws SQLException {
        database = EmbeddedPostgres.shared().freshDatabase();
        var store = JdbcOutboxStores.detect(database.jdbcUrl()).withTable(DurableInbox.DEFAULT_TABLE);
        try (Connection conn = database.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            store.schema().apply(conn);
            store.orderedSchema().apply(conn);
            OutboxSchema.ofResource(
                            DurableInbox.class,
                            "/outbox/inbox/migration/postgresql/V20261101000022__inbox_consumption.sql")
                    .apply(conn);
            // No unique constraint: a second effect would be there to see.
            statement.execute("CREATE TABLE effect (seq BIGINT GENERATED ALWAYS AS IDENTITY, number INT NOT NULL)");
        }
    }

    @AfterEach
    void close() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly();
        }
        for (Process process : processes) {
            process.waitFor();
        }
        database.drop();
    }

    private List<Integer> numbers(String sql) throws SQLException {
        try (Connection conn = database.dataSource().getConnection()) {
            return JdbcTemplate.query(conn, sql, JdbcTemplate.Binder.NOTHING, row -> row.getInt(1));
        }
    }

    private int effects() {
        try {
            return numbers("SELECT COUNT(*) FROM effect").get(0);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private Process start(String mode, String broker, String address, int slot) throws IOException {
        starts++;
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx160m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ConsumerProcess.class.getName(),
                        mode,
                        broker,
                        address,
                        name,
                        database.jdbcUrl(),
                        database.username(),
                        "slot-" + slot)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target/killed-" + name + ".log")))
                .start();
    }

    private static byte[] body(int number) {
        return ("{\"number\":" + number + ",\"poison\":false}").getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void publishToKafka(String servers) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.createTopics(List.of(new NewTopic(name, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                // With several requests in flight, the idempotent producer may never recover from
                // NOT_LEADER_OR_FOLLOWER on a
                // topic that was just created: its later batches fail with OUT_OF_ORDER_SEQUENCE again and again.
                Map.of(
                        "bootstrap.servers",
                        servers,
                        "enable.idempotence",
                        true,
                        "max.in.flight.requests.per.connection",
                        1),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(name, utf8("k-" + i % KEYS), body(i));
                record.headers().add("id", utf8("m-" + i)).add("eventType", utf8(ConsumerProcess.TYPE));
                sent.add(producer.send(record));
            }
            for (Future<RecordMetadata> each : sent) {
                var unused = each.get();
            }
        }
    }

    private void publishToRabbit(String uri) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(uri);
        try (com.rabbitmq.client.Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(name, true, false, false, null);
            channel.confirmSelect();
            for (int i = 0; i < MESSAGES; i++) {
                channel.basicPublish(
                        "",
                        name,
                        new BasicProperties.Builder()
                                .messageId("m-" + i)
                                .type(ConsumerProcess.TYPE)
                                .deliveryMode(2)
                                .headers(Map.of("aggregateId", "k-" + i % KEYS))
                                .build(),
                        body(i));
            }
            channel.waitForConfirmsOrDie();
        }
    }

    /** Kills the oldest process each time some more effects are there; its successor has the same node id. */
    private int consumeAndKill(String mode, String broker, String address) throws Exception {
        for (int slot = 0; slot < PROCESSES; slot++) {
            processes.add(start(mode, broker, address, slot));
        }
        int kills = 0;
        while ((kills + 1) * MESSAGES_PER_KILL < MESSAGES) {
            int enough = (kills + 1) * MESSAGES_PER_KILL;
            await().atMost(LONG).pollInterval(Duration.ofMillis(20)).until(() -> effects() >= enough);
            int slot = kills % PROCESSES;
            Process victim = processes.get(slot);
            assertThat(victim.isAlive()).as("it was alive when it was killed").isTrue();
            victim.destroyForcibly();
            assertThat(victim.waitFor(60, TimeUnit.SECONDS)).isTrue();
            processes.set(slot, start(mode, broker, address, slot));
            kills++;
        }
        await().atMost(LONG).until(() -> effects() >= MESSAGES);
        await().atMost(LONG)
                .until(() -> numbers("SELECT 1 FROM inbox_event WHERE status <> 1 LIMIT 1")
                        .isEmpty());
        return kills;
    }

    private void assertEachEffectOnce() throws SQLException {
        assertThat(numbers("SELECT number FROM effect ORDER BY number"))
                .isEqualTo(IntStream.range(0, MESSAGES).boxed().toList());
    }

    private void assertOrderPerKey() throws SQLException {
        for (int key = 0; key < KEYS; key++) {
            int first = key;
            assertThat(numbers("SELECT number FROM effect WHERE number % " + KEYS + " = " + key + " ORDER BY seq"))
                    .isEqualTo(IntStream.range(0, (MESSAGES - first + KEYS - 1) / KEYS)
                            .map(i -> first + i * KEYS)
                            .boxed()
                            .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"durable", "inline"})
    void everyEffectOfKafkaHappensOnceAndInOrder(String mode) throws Exception {
        String servers = EmbeddedKafka.shared();
        publishToKafka(servers);

        int kills = consumeAndKill(mode, "kafka", servers);

        assertThat(kills).isGreaterThanOrEqualTo(MESSAGES / MESSAGES_PER_KILL - 1);
        assertEachEffectOnce();
        assertOrderPerKey();
    }

    @ParameterizedTest
    @ValueSource(strings = {"durable", "inline"})
    void everyEffectOfRabbitMqHappensOnce(String mode) throws Exception {
        String uri = InstalledRabbitMq.isInstalled() ? InstalledRabbitMq.shared() : EmbeddedQpid.shared();
        publishToRabbit(uri);

        int kills = consumeAndKill(mode, "rabbitmq", uri);

        assertThat(kills).isGreaterThanOrEqualTo(MESSAGES / MESSAGES_PER_KILL - 1);
        assertEachEffectOnce();
    }

    @Test
    void aMessageThatKillsItsProcessIsDeadAfterItsAttemptsAndTheOthersAreHandled() throws Exception {
        String poison;
        try (DurableInbox receiver = DurableInbox.builder(database.dataSource())
                .group("billing")
                .handlers(new DefaultListenerRegistry())
                .engine(engine -> engine.workerCount(0))
                .build()) { // it only receives
            for (int i = 0; i < 40; i++) {
                receiver.receive(InboxMessage.builder(ConsumerProcess.TYPE)
                        .id("m-" + i)
                        .key("k-" + i)
                        .payload("{\"number\":" + i + ",\"poison\":" + (i == 7) + "}")
                        .build());
            }
            poison = receiver.eventIdOf("m-7");
        }
        processes.add(start("durable", "none", "-", 0));
        await().atMost(LONG).until(() -> {
            if (!processes.get(0).isAlive()) {
                processes.set(0, start("durable", "none", "-", 0));
            }
            return effects() >= 39
                    && numbers("SELECT attempts FROM inbox_event WHERE status = 3")
                                    .size()
                            == 1;
        });

        assertThat(numbers("SELECT number FROM effect ORDER BY number"))
                .hasSize(39)
                .doesNotContain(7)
                .doesNotHaveDuplicates();
        assertThat(numbers("SELECT 1 FROM inbox_event WHERE status = 3 AND event_id = '" + poison
                        + "' AND last_error LIKE '%at attempt 3 of 3%'"))
                .hasSize(1);
        assertThat(starts)
                .as("a process for each attempt, the first death of which nobody knows whose it was, and the last one")
                .isLessThanOrEqualTo(5);
    }
}
