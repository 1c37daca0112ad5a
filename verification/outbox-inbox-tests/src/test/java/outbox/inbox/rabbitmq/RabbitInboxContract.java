package outbox.inbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.inbox.DurableInbox;
import outbox.inbox.DurableInboxBuilder;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** The consumer on a real broker and a real database. */
abstract class RabbitInboxContract {
    private static final Duration LONG = Duration.ofMinutes(4);

    private final String queue = "orders-" + UUID.randomUUID();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final ConnectionFactory factory = new ConnectionFactory();
    private HikariDataSource dataSource;
    private Channel channel;

    abstract String uri();

    @BeforeEach
    void open() throws Exception {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(12);
        config.setMinimumIdle(1);
        dataSource = new HikariDataSource(config);
        open.push(database::drop);
        open.push(dataSource);
        try (java.sql.Connection conn = dataSource.getConnection()) {
            JdbcOutboxStores.detect(database.jdbcUrl())
                    .withTable(DurableInbox.DEFAULT_TABLE)
                    .schema()
                    .apply(conn);
        }
        factory.setUri(uri());
        Connection connection = factory.newConnection();
        open.push(connection);
        channel = connection.createChannel();
        channel.queueDeclare(queue, true, false, false, null);
    }

    @AfterEach
    void close() throws Exception {
        channel.queueDelete(queue);
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    final String queue() {
        return queue;
    }

    final Channel channel() {
        return channel;
    }

    final DurableInboxBuilder inbox(Set<String> handled) {
        return DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(new DefaultListenerRegistry().register("order.placed", event -> handled.add(event.eventId())))
                .deadLetterInvalid()
                .engine(engine -> engine.pollInterval(Duration.ofMillis(50)));
    }

    final DurableInbox started(DurableInboxBuilder builder) {
        DurableInbox inbox = builder.build().start();
        open.push(inbox);
        return inbox;
    }

    final RabbitInbox consumer(DurableInbox inbox) {
        RabbitInbox rabbit =
                RabbitInbox.builder(inbox, factory).queues(queue).prefetch(50).build();
        open.push(rabbit);
        return rabbit;
    }

    private void publish(BasicProperties properties, String body) throws Exception {
        channel.basicPublish("", queue, properties, body.getBytes(StandardCharsets.UTF_8));
    }

    final void publish(int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            publish(
                    new BasicProperties.Builder()
                            .messageId("m-" + i)
                            .type("order.placed")
                            .build(),
                    "{\"n\":" + i + "}");
        }
    }

    private List<String> query(String sql) throws SQLException {
        try (java.sql.Connection conn = dataSource.getConnection()) {
            return JdbcTemplate.query(conn, sql, JdbcTemplate.Binder.NOTHING, row -> row.getString(1));
        }
    }

    private void execute(String sql) throws SQLException {
        try (java.sql.Connection conn = dataSource.getConnection()) {
            JdbcTemplate.update(conn, sql, JdbcTemplate.Binder.NOTHING);
        }
    }

    final void awaitRows(int status, int count) {
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(query("SELECT COUNT(*) FROM inbox_event WHERE status = " + status))
                        .containsExactly("" + count));
    }

    @Test
    void messagesAreAcknowledgedAfterTheyAreStoredAndHandledOnce() throws Exception {
        Set<String> handled = ConcurrentHashMap.newKeySet();
        DurableInbox inbox = started(inbox(handled));
        publish(0, 200);
        publish(100, 300); // their producer sent some of them twice
        RabbitInbox rabbit = consumer(inbox).start();

        awaitRows(1, 300);
        await().atMost(LONG).until(() -> inbox.counts().duplicates() == 100);
        rabbit.close();
        assertThat(handled).hasSize(300);
        assertThat(channel.messageCount(queue)).as("left in the queue").isZero();
    }

    @Test
    void nothingIsAcknowledgedWhileTheDatabaseFails() throws Exception {
        DurableInbox inbox = started(inbox(ConcurrentHashMap.newKeySet()));
        execute("ALTER TABLE inbox_event RENAME TO away");
        publish(0, 120);
        RabbitInbox rabbit = consumer(inbox).start();
        await().atMost(LONG).until(rabbit::isPaused);
        execute("ALTER TABLE away RENAME TO inbox_event");

        awaitRows(1, 120);
        await().atMost(LONG).until(() -> !rabbit.isPaused());
    }

    @Test
    void noMoreThanThePrefetchCountIsTakenWhileTooManyMessagesWait() throws Exception {
        DurableInbox idle = inbox(ConcurrentHashMap.newKeySet())
                .engine(engine -> engine.workerCount(0)) // handles nothing
                .build();
        open.push(idle);
        RabbitInbox limited = RabbitInbox.builder(idle, factory)
                .queues(queue)
                .prefetch(20)
                .maxPending(10)
                .build();
        open.push(limited);
        publish(0, 50);
        limited.start();
        await().atMost(LONG).until(limited::isPaused);
        publish(50, 200); // more than it takes ahead
        await().atMost(LONG).until(() -> channel.messageCount(queue) >= 130);
        assertThat(query("SELECT COUNT(*) FROM inbox_event WHERE status = 1")).containsExactly("0");
        limited.close();
        idle.close(); // another node handles what it received

        consumer(started(inbox(ConcurrentHashMap.newKeySet()))).start();
        awaitRows(1, 200);
    }

    @Test
    void formatsOfOtherProducersAreReadAndBadMessagesAreDeadLetters() throws Exception {
        DurableInbox inbox = started(inbox(ConcurrentHashMap.newKeySet()));
        publish(
                new BasicProperties.Builder()
                        .headers(Map.of(
                                "cloudEvents:id",
                                "1",
                                "cloudEvents:source",
                                "urn:shop",
                                "cloudEvents:type",
                                "order.placed"))
                        .build(),
                "{}");
        publish(
                new BasicProperties.Builder()
                        .contentType("application/cloudevents+json; charset=UTF-8")
                        .build(),
                "{\"id\":\"2\",\"source\":\"urn:shop\",\"type\":\"order.placed\",\"data\":{}}");
        publish(
                new BasicProperties.Builder()
                        .headers(Map.of("id", "3", "eventType", "order.placed"))
                        .build(),
                "{}");
        publish(new BasicProperties.Builder().type("order.placed").build(), "no id");
        publish(
                new BasicProperties.Builder()
                        .messageId("5")
                        .contentType("application/cloudevents+json")
                        .build(),
                "no JSON");
        publish(new BasicProperties.Builder().messageId("6").build(), "{}"); // its type is the routing key
        consumer(inbox).start();

        awaitRows(1, 3);
        awaitRows(3, 3);
        assertThat(query("SELECT event_id FROM inbox_event WHERE status = 1"))
                .containsExactlyInAnyOrder(
                        inbox.eventIdOf("urn:shop/1"), inbox.eventIdOf("urn:shop/2"), inbox.eventIdOf("3"));
        assertThat(query("SELECT event_type FROM inbox_event WHERE status = 3"))
                .containsExactlyInAnyOrder("order.placed", RabbitMessages.UNMAPPED, queue);
        assertThat(channel.messageCount(queue)).isZero();
    }

    @Test
    void whatIsMissingIsNamed() {
        DurableInbox strict = DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(new DefaultListenerRegistry())
                .build();
        open.push(strict);
        assertThatThrownBy(
                        () -> RabbitInbox.builder(strict, factory).queues(queue).build())
                .hasMessageContaining("deadLetterInvalid()");
        assertThatThrownBy(() -> RabbitInbox.builder(strict, factory).build()).hasMessageContaining("queues(...)");
    }
}
