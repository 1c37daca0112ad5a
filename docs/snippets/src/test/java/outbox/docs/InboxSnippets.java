package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import outbox.domain.EventName;
import outbox.domain.TransactionRunner;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventId;
import outbox.domain.jackson.PayloadSerializers;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.inbox.DurableInbox;
import outbox.inbox.Inbox;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxMessage;
import outbox.inbox.InlineInbox;
import outbox.inbox.MessageId;
import outbox.inbox.Receipt;
import outbox.inbox.kafka.KafkaInbox;
import outbox.inbox.kafka.KafkaReceiver;
import outbox.inbox.rabbitmq.RabbitInbox;
import outbox.inbox.webhook.WebhookAnswer;
import outbox.inbox.webhook.WebhookReceiver;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.testing.server.EmbeddedH2;
import outbox.webhook.WebhookSecret;
import outbox.webhook.WebhookVerifier;

class InboxSnippets {
    // snippet: handler
    @EventName("order.placed")
    public record OrderPlaced(String order, int total) {}

    @Component
    static class Invoices {
        private final org.springframework.jdbc.core.JdbcTemplate jdbc;

        Invoices(org.springframework.jdbc.core.JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @InboxHandler(group = "billing", name = "invoice", transactional = true)
        void on(OrderPlaced order, @EventId String id) {
            jdbc.update("INSERT INTO invoice VALUES (?, ?)", id, order.order());
        }
    }
    // end

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Invoices.class)
    static class Billing {
        @Bean
        Runnable table(org.springframework.jdbc.core.JdbcTemplate jdbc) {
            jdbc.execute("CREATE TABLE invoice (number VARCHAR(36), customer_order VARCHAR(64))");
            return () -> {};
        }
    }

    @Test
    void withSpringBoot() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Billing.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "outbox.contracts.enabled=false",
                        "outbox.encryption.enabled=false",
                        "outbox.events.packages=outbox.docs.none", // other pages have an order.placed of their own
                        "outbox.inbox.groups.billing.mode=durable")
                .run()) {
            Inbox inbox = context.getBean(Inbox.class);
            inbox.receive(InboxMessage.builder("order.placed")
                    .id("1")
                    .payload("{\"order\":\"42\",\"total\":1}")
                    .build());
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> context.getBean(org.springframework.jdbc.core.JdbcTemplate.class)
                            .queryForList("SELECT customer_order FROM invoice", String.class)
                            .equals(List.of("42")));
        }
    }

    class PlainInvoices {
        @InboxHandler(name = "invoice", transactional = true)
        void on(OrderPlaced order, @EventId String id) throws SQLException {
            createInvoice(order.order(), id);
        }
    }

    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final TransactionRunner transactions =
            new JdbcTransactionRunner(new JdbcTransactionManager(connections, txContext), txContext);

    private void createInvoice(String order, String number) throws SQLException {
        JdbcTemplate.update(txContext.currentConnection(), "INSERT INTO invoice VALUES (?, ?)", row -> {
            row.setString(1, number);
            row.setString(2, order);
        });
    }

    private List<String> invoices() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return JdbcTemplate.query(
                    connection,
                    "SELECT customer_order FROM invoice",
                    JdbcTemplate.Binder.NOTHING,
                    row -> row.getString(1));
        }
    }

    private void createTables() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            // snippet: tables
            OutboxSchema.of("h2", DurableInbox.DEFAULT_TABLE).apply(connection);
            IdempotencySchema.of("h2", "inbox_consumption").apply(connection); // for durable transactional handlers
            // end
            JdbcTemplate.update(
                    connection,
                    "CREATE TABLE invoice (number VARCHAR(36), customer_order VARCHAR(64))",
                    JdbcTemplate.Binder.NOTHING);
        }
    }

    @Test
    void aMessageIsStoredOnceAndHandledOnce() throws Exception {
        createTables();
        // snippet: durable
        EventHandlers handlers = EventHandlers.builder()
                .scan(new PlainInvoices(), PlainInvoices.class, InboxHandler.Mark.all())
                .serializer(PayloadSerializers.detect())
                .tracker(new JdbcEventConsumptionTracker("h2", connections, txContext, "inbox_consumption"))
                .transactions(transactions)
                .build();

        DurableInbox inbox = DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(handlers)
                .messageId(MessageId.header("x-id").orElse(MessageId.position())) // for messages without an id
                .deduplicationWindow(Duration.ofDays(14))
                .deadLetterInvalid()
                .engine(engine -> engine.workerCount(8).maxAttempts(5))
                .build()
                .start();
        // end
        try (inbox;
                handlers) {
            // snippet: receive
            InboxMessage message = InboxMessage.builder("order.placed")
                    .id("01JD5T3M0QX6")
                    .key("42") // the ordering key
                    .payload("{\"order\":\"42\",\"total\":100}")
                    .build();

            Receipt receipt = inbox.receive(message); // committed: acknowledge the broker now
            // end
            assertThat(receipt).isEqualTo(Receipt.RECEIVED);
            assertThat(inbox.receive(message)).isEqualTo(Receipt.DUPLICATE);
            await().atMost(Duration.ofMinutes(1)).until(() -> !invoices().isEmpty());
            assertThat(invoices()).containsExactly("42");
        }
    }

    @Test
    void aMessageIsHandledInTheTransactionOfItsRecord() throws Exception {
        createTables();
        String messageId = "m-1";
        // snippet: inline
        InlineInbox inbox = InlineInbox.builder(dataSource)
                .group("billing")
                .transactions(txContext, transactions)
                .build();

        boolean first = inbox.once(messageId, () -> createInvoice("42", messageId));
        // end
        assertThat(first).isTrue();
        assertThat(inbox.once(messageId, () -> createInvoice("42", messageId))).isFalse();
        assertThat(invoices()).containsExactly("42");
    }

    // snippet: spring-kafka
    static class OrdersListener {
        private final KafkaReceiver receiver;

        OrdersListener(Inbox inbox) {
            this.receiver = new KafkaReceiver(inbox);
        }

        // @KafkaListener(topics = "orders", groupId = "billing", batch = "true")
        void on(List<ConsumerRecord<byte[], byte[]>> records) {
            receiver.receiveAll(records); // offsets are committed when this returns
        }
    }
    // end

    @Test
    void receivingFromBrokersAndEndpoints() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", DurableInbox.DEFAULT_TABLE).apply(connection);
        }
        JdbcTransactionManager manager = new JdbcTransactionManager(connections, txContext);
        InboxMessage message = InboxMessage.builder("order.placed").id("m-1").build();
        ConnectionFactory connectionFactory = new ConnectionFactory();
        String secret = WebhookSecret.generate().reveal();
        try (DurableInbox inbox = DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(new DefaultListenerRegistry().register("order.placed", event -> {}))
                .transactions(txContext)
                .deadLetterInvalid()
                .build()
                .start()) {
            // snippet: kafka
            KafkaInbox kafka = KafkaInbox.builder(inbox, "localhost:9092")
                    .groupId("billing")
                    .topics("orders")
                    .consumer("max.poll.records", 1000) // any setting of the Kafka consumer
                    .maxPending(50_000)
                    .build(); // start() begins to consume, close() leaves the group
            // end
            assertThat(kafka.isRunning()).isFalse();
            // snippet: rabbitmq
            RabbitInbox rabbit = RabbitInbox.builder(inbox, connectionFactory)
                    .queues("orders")
                    .prefetch(500)
                    .build(); // start() begins to consume, close() ends it
            // end
            assertThat(rabbit.isRunning()).isFalse();
            // snippet: webhook
            WebhookReceiver receiver = WebhookReceiver.of(inbox, WebhookVerifier.of(WebhookSecret.parse(secret)));
            // end
            assertThat(answer(receiver, new Request()).status()).isEqualTo(401);
            assertThat(new OrdersListener(inbox)).isNotNull();
            // snippet: transaction
            try (JdbcTransactionManager.Transaction tx = manager.begin()) {
                inbox.receiveInTransaction(message);
                tx.commit();
            }
            // end
            assertThat(inbox.counts().received()).isEqualTo(1);
        }
    }

    /** A request of any web framework. */
    private static final class Request {
        String getHeader(String name) {
            return null;
        }

        byte[] body() throws IOException {
            return new byte[0];
        }
    }

    private static WebhookAnswer answer(WebhookReceiver receiver, Request request) throws IOException {
        // snippet: answer
        WebhookAnswer answer = receiver.receive(request::getHeader, request.body()); // status and body to answer
        // end
        return answer;
    }
}
