package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.docs.Patience.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

class PlainJdbcSnippets {
    private final TestDatabase database = EmbeddedH2.shared().freshDatabase();
    private final DataSource dataSource = database.dataSource();
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final Mailer mailer = new Mailer();

    private final class Mailer {
        void send(String eventId, String payload) {
            sent.add(payload);
        }
    }

    @BeforeEach
    void createTables() throws SQLException {
        // snippet: table
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
        // end
        try (Connection connection = dataSource.getConnection()) {
            connection.createStatement().execute("CREATE TABLE orders (id INT PRIMARY KEY)");
        }
    }

    @AfterEach
    void drop() {
        database.drop();
    }

    @Test
    void buildWriteAndClose() throws Exception {
        // snippet: build
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        JdbcTransactionManager transactions =
                new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);

        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(new DefaultListenerRegistry()
                        .register("Order", "OrderPlaced", event -> mailer.send(event.eventId(), event.payloadJson())))
                .build()
                .start();
        // end

        // snippet: write
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            insertOrder(tx.connection(), 42);
            outbox.writer()
                    .write(EventEnvelope.builder("OrderPlaced")
                            .aggregateType("Order")
                            .aggregateId("42")
                            .payloadJson("{\"order\":42}")
                            .build());
            tx.commit();
        } // rolls back unless committed
        // end

        // snippet: write-all
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            List<EventEnvelope> events = List.of(
                    EventEnvelope.builder("OrderPlaced")
                            .aggregateType("Order")
                            .aggregateId("43")
                            .payloadJson("{\"order\":43}")
                            .build(),
                    EventEnvelope.builder("OrderPlaced")
                            .aggregateType("Order")
                            .aggregateId("44")
                            .payloadJson("{\"order\":44}")
                            .deliverAfter(Duration.ofMillis(300))
                            .build());
            List<String> eventIds = outbox.writer().writeAll(events);
            tx.commit();
            assertThat(eventIds).hasSize(2);
        }
        // end

        await().untilAsserted(() ->
                assertThat(sent).containsExactlyInAnyOrder("{\"order\":42}", "{\"order\":43}", "{\"order\":44}"));

        // snippet: close
        outbox.close();
        // end

        assertThatThrownBy(() -> outbox.writer().write("OrderPlaced", "{}"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no active transaction");
    }

    @Test
    void transactionsOfYourOwn() throws Exception {
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        try (Outbox outbox = JdbcOutbox.singleNode(dataSource)
                .transactions(txContext)
                .listeners(
                        new DefaultListenerRegistry().register("OrderPlaced", event -> sent.add(event.payloadJson())))
                .build()
                .start()) {
            // snippet: own-transactions
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                txContext.bind(connection);
                try {
                    insertOrder(connection, 42);
                    outbox.writer().write("OrderPlaced", "{\"order\":42}");
                    connection.commit();
                    txContext.committed();
                } catch (Throwable e) {
                    connection.rollback();
                    txContext.rolledBack();
                    throw e;
                }
            }
            // end
            await().untilAsserted(() -> assertThat(sent).containsExactly("{\"order\":42}"));
        }
    }

    @Test
    void partByPart() throws Exception {
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        DefaultListenerRegistry registry =
                new DefaultListenerRegistry().register("OrderPlaced", event -> sent.add(event.payloadJson()));

        // snippet: part-by-part
        OutboxStore store = JdbcOutboxStores.detect(dataSource);
        ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);

        OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(registry)
                .workerCount(8)
                .build();
        OutboxPoller poller = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(Duration.ofSeconds(30))
                .build();
        OutboxWriter writer = new OutboxWriter(txContext, store, new DispatcherWriterHook(dispatcher));
        poller.start();
        // end

        JdbcTransactionManager transactions = new JdbcTransactionManager(connections, txContext);
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            writer.write("OrderPlaced", "{}");
            tx.commit();
        }
        await().untilAsserted(() -> assertThat(sent).containsExactly("{}"));
        poller.close();
        dispatcher.close();
    }

    private static void insertOrder(Connection connection, int id) throws SQLException {
        try (var insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
            insert.setInt(1, id);
            insert.executeUpdate();
        }
    }
}
