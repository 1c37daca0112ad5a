package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import outbox.domain.EventName;
import outbox.domain.TransactionRunner;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventId;
import outbox.domain.jackson.PayloadSerializers;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.inbox.DurableInbox;
import outbox.inbox.InboxMessage;
import outbox.inbox.MessageId;
import outbox.inbox.Receipt;
import outbox.inbox.kafka.KafkaInbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.testing.server.EmbeddedH2;

class InboxSnippets {
    // snippet: handler
    @EventName("order.placed")
    public record OrderPlaced(String order, int total) {}

    class Invoices {
        @EventHandler(name = "invoice", transactional = true)
        void on(OrderPlaced order, @EventId String idempotencyKey) throws SQLException {
            createInvoice(order, idempotencyKey);
        }
    }
    // end

    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final TransactionRunner transactions =
            new JdbcTransactionRunner(new JdbcTransactionManager(connections, txContext), txContext);

    private void createInvoice(OrderPlaced order, String number) throws SQLException {
        JdbcTemplate.update(txContext.currentConnection(), "INSERT INTO invoice VALUES (?, ?)", row -> {
            row.setString(1, number);
            row.setString(2, order.order());
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

    @Test
    void aMessageIsStoredOnceAndHandledOnce() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            // snippet: tables
            OutboxSchema.of("h2", DurableInbox.DEFAULT_TABLE).apply(connection);
            IdempotencySchema.of("h2", "inbox_consumption").apply(connection); // for transactional handlers
            // end
            JdbcTemplate.update(
                    connection,
                    "CREATE TABLE invoice (number VARCHAR(36), customer_order VARCHAR(64))",
                    JdbcTemplate.Binder.NOTHING);
        }
        // snippet: inbox
        EventHandlers handlers = EventHandlers.scan(new Invoices())
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
    void receivingInATransactionOfTheCaller() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", DurableInbox.DEFAULT_TABLE).apply(connection);
        }
        JdbcTransactionManager manager = new JdbcTransactionManager(connections, txContext);
        InboxMessage message = InboxMessage.builder("order.placed").id("m-1").build();
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
            // snippet: transaction
            try (JdbcTransactionManager.Transaction tx = manager.begin()) {
                inbox.receiveInTransaction(message);
                tx.commit();
            }
            // end
            assertThat(inbox.counts().received()).isEqualTo(1);
        }
    }
}
