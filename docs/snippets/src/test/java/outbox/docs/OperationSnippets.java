package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.docs.Patience.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.dead.DeadEventManager;
import outbox.dispatch.CompletionMode;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.purge.H2EventPurger;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.model.OutboxEvent;
import outbox.purge.OutboxPurgeScheduler;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

/** For the pages on CDC, dead letters, purge, metrics and databases. */
class OperationSnippets {
    private final TestDatabase database = EmbeddedH2.shared().freshDatabase();
    private final DataSource dataSource = database.dataSource();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions =
            new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final AtomicBoolean broken = new AtomicBoolean();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry().register("OrderPlaced", event -> {
        if (broken.get()) {
            throw new IllegalStateException("out of order");
        }
        delivered.add(event.payloadJson());
    });

    @BeforeEach
    void createTable() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
    }

    @AfterEach
    void drop() {
        database.drop();
    }

    @Test
    void cdc() throws Exception {
        // snippet: cdc
        Outbox outbox = JdbcOutbox.writerOnly(dataSource)
                .transactions(txContext)
                .build()
                .start();
        // end
        write(outbox);
        assertThat(count("status = 0 AND locked_by IS NULL")).isEqualTo(1);
        outbox.close();
        assertThat(delivered).isEmpty();
    }

    @Test
    void compensation() throws Exception {
        List<String> cancelled = new CopyOnWriteArrayList<>();
        broken.set(true);
        // snippet: dead-letter-listener
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(registry)
                .maxAttempts(1)
                .deadLetterListener(letter -> cancelled.add(letter.event().eventId() + ": " + letter.error()))
                .build()
                .start();
        // end
        try (outbox) {
            write(outbox);
            await().untilAsserted(() -> assertThat(cancelled).hasSize(1));
            assertThat(cancelled.get(0)).contains("out of order");
        }
    }

    @Test
    void deadLetters() throws Exception {
        broken.set(true);
        try (Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(registry)
                .maxAttempts(1)
                .build()
                .start()) {
            write(outbox);
            write(outbox);
            await().untilAsserted(() -> assertThat(count("status = 3")).isEqualTo(2));
            broken.set(false);
            String eventId = outbox.deadEvents().query(null, null, 1).get(0).eventId();

            // snippet: dead-letters
            DeadEventManager deadEvents = outbox.deadEvents();

            int waiting = deadEvents.countOrFail("OrderPlaced"); // null counts all types
            List<OutboxEvent> oldest = deadEvents.queryOrFail("OrderPlaced", null, 20);

            boolean replayed = deadEvents.replayOrFail(eventId); // one
            int all = deadEvents.replayAllOrFail("OrderPlaced", null, 100); // all that match, 100 in a transaction
            // end

            assertThat(waiting).isEqualTo(2);
            assertThat(oldest).hasSize(2);
            assertThat(replayed).isTrue();
            assertThat(all).isEqualTo(1);
            await().untilAsserted(() -> assertThat(delivered).hasSize(2));
        }
    }

    @Test
    void purge() throws Exception {
        // snippet: purge
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(registry)
                .retention(Duration.ofDays(3))
                .purgeInterval(Duration.ofMinutes(10))
                .build()
                .start();
        // end
        write(outbox);
        await().untilAsserted(() -> assertThat(count("status = 1")).isEqualTo(1));
        outbox.purgeOnce();
        assertThat(count("TRUE")).isEqualTo(1);
        outbox.close();

        // snippet: purge-alone
        OutboxPurgeScheduler purge = OutboxPurgeScheduler.builder()
                .connectionProvider(new DataSourceConnectionProvider(dataSource))
                .purger(new H2EventPurger())
                .retention(Duration.ZERO)
                .build();
        purge.runOnce(); // or start() for every hour
        // end
        await().untilAsserted(() -> {
            purge.runOnce();
            assertThat(count("TRUE")).isZero();
        });
        purge.close();
    }

    @Test
    void delete() throws Exception {
        // snippet: delete
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(registry)
                .completionMode(CompletionMode.DELETE)
                .build()
                .start();
        // end
        write(outbox);
        await().untilAsserted(() -> {
            assertThat(delivered).hasSize(1);
            assertThat(count("TRUE")).isZero();
        });
        outbox.close();
    }

    @Test
    void metrics() throws Exception {
        MeterRegistry meterRegistry = new SimpleMeterRegistry();
        // snippet: metrics
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(registry)
                .metrics(new MicrometerMetricsExporter(meterRegistry, "orders.outbox"))
                .build()
                .start();
        // end
        write(outbox);
        await().untilAsserted(() -> assertThat(meterRegistry
                        .get("orders.outbox.dispatch.success")
                        .counter()
                        .count())
                .isEqualTo(1));
        outbox.close();
    }

    @Test
    void anotherTable() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.createStatement().execute("CREATE SCHEMA shop");
            // snippet: another-table
            OutboxSchema.of("h2", "shop.order_event").apply(connection);
            // end
        }
        // snippet: another-store
        Outbox outbox = JdbcOutbox.multiNode(dataSource, new H2OutboxStore("shop.order_event"))
                .transactions(txContext)
                .listeners(registry)
                .build()
                .start();
        // end
        write(outbox);
        await().untilAsserted(() -> assertThat(delivered).hasSize(1));
        assertThat(count("TRUE")).isZero(); // the default table stays empty
        outbox.close();
    }

    @Test
    void ordered() throws Exception {
        // snippet: ordered-table
        try (Connection connection = dataSource.getConnection()) {
            JdbcOutboxStores.detect(dataSource).orderedSchema().apply(connection);
        }
        // end
        // snippet: ordered
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(new DefaultListenerRegistry()
                        .register("Order", "OrderChanged", event -> delivered.add(event.payloadJson())))
                .ordered()
                .build()
                .start();
        // end
        for (int step = 0; step < 10; step++) {
            try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                outbox.writer()
                        .write(EventEnvelope.builder("OrderChanged")
                                .aggregateType("Order")
                                .aggregateId("42")
                                .payloadJson(String.valueOf(step))
                                .build());
                tx.commit();
            }
        }
        await().untilAsserted(
                        () -> assertThat(delivered).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
        outbox.close();
    }

    private void write(Outbox outbox) throws Exception {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            outbox.writer().write("OrderPlaced", "{}");
            tx.commit();
        }
    }

    private int count(String condition) throws Exception {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT COUNT(*) FROM outbox_event WHERE " + condition)) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
