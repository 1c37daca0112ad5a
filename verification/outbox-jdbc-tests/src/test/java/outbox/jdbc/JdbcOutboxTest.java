package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.jdbc.partition.DailyPartitions;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

class JdbcOutboxTest {
    private final TestDatabase database = EmbeddedH2.shared().freshDatabase();
    private final DataSource dataSource = database.dataSource();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions =
            new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final DefaultListenerRegistry listeners =
            new DefaultListenerRegistry().register("OrderPlaced", event -> delivered.add(event.payloadJson()));

    @AfterEach
    void drop() {
        database.drop();
    }

    @Test
    void multiNodeWritesAndDelivers() throws Exception {
        createTable("outbox_event");
        try (Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(listeners)
                .build()
                .start()) {
            write(outbox);
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(delivered).containsExactly("{\"order\":42}"));
        }
        assertThat(count("outbox_event WHERE status = 1")).isEqualTo(1);
    }

    @Test
    void singleNodeTakesOverWhatItsPredecessorHeld() throws Exception {
        createTable("outbox_event");
        try (Outbox writer =
                JdbcOutbox.writerOnly(dataSource).transactions(txContext).build()) {
            write(writer);
        }
        update("UPDATE outbox_event SET locked_by = 'predecessor', locked_at = TIMESTAMP '9999-01-01 00:00:00'");
        try (Outbox outbox =
                JdbcOutbox.singleNode(dataSource).listeners(listeners).build().start()) {
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(delivered).containsExactly("{\"order\":42}"));
        }
    }

    @Test
    void writerOnlyLeavesItsRowsToOthers() throws Exception {
        createTable("outbox_event");
        try (Outbox outbox = JdbcOutbox.writerOnly(dataSource)
                .transactions(txContext)
                .build()
                .start()) {
            write(outbox);
        }
        assertThat(count("outbox_event WHERE status = 0 AND locked_by IS NULL")).isEqualTo(1);
    }

    @Test
    void terminalRowsArePurged() throws Exception {
        createTable("outbox_event");
        try (Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(listeners)
                .retention(Duration.ZERO)
                .build()
                .start()) {
            write(outbox);
            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                outbox.purgeOnce();
                assertThat(delivered).hasSize(1);
                assertThat(count("outbox_event")).isZero();
            });
        }
    }

    @Test
    void anotherTableComesWithItsStore() throws Exception {
        createTable("order_event");
        try (Outbox outbox = JdbcOutbox.multiNode(dataSource, new H2OutboxStore("order_event"))
                .transactions(txContext)
                .listeners(listeners)
                .retention(Duration.ZERO)
                .build()
                .start()) {
            write(outbox);
            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                outbox.purgeOnce();
                assertThat(delivered).hasSize(1);
                assertThat(count("order_event")).isZero();
            });
        }
    }

    @Test
    void aMissingTableIsReportedAtTheStart() {
        try (Outbox outbox =
                JdbcOutbox.multiNode(dataSource).listeners(listeners).build()) {
            assertThatThrownBy(outbox::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("outbox_event");
        }
    }

    @Test
    void contradictionsAreRefusedByName() {
        assertThatThrownBy(() -> JdbcOutbox.writerOnly(dataSource)
                        .transactions(txContext)
                        .listeners(listeners)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("listeners");
        assertThatThrownBy(() -> JdbcOutbox.multiNode(dataSource).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("listeners");
        assertThatThrownBy(() -> JdbcOutbox.writerOnly(dataSource).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("transactions");
    }

    @Test
    void whatGoesByAgeAloneIsRefusedWhereEventsAreDelivered() {
        H2OutboxStore store = new H2OutboxStore();
        assertThatThrownBy(() -> JdbcOutbox.multiNode(dataSource)
                        .listeners(listeners)
                        .purger(store.agePurger())
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("age alone")
                .hasMessageContaining("writerOnly()");
        DailyPartitions byAge = new PostgresOutboxStore().dailyPartitions().byAgeAlone();
        assertThatThrownBy(() -> JdbcOutbox.multiNode(dataSource)
                        .listeners(listeners)
                        .partitions(byAge)
                        .build())
                .hasMessageContaining("daily partitions of outbox_event")
                .hasMessageContaining("writerOnly()");
        assertThatThrownBy(() -> JdbcOutbox.multiNode(dataSource)
                        .listeners(listeners)
                        .ordered()
                        .partitions(new PostgresOutboxStore().dailyPartitions())
                        .build())
                .hasMessageContaining("ordered()")
                .hasMessageContaining("partitions");
    }

    @Test
    void aWriterOnlyOutboxPurgesByAge() throws Exception {
        createTable("outbox_event");
        try (Outbox outbox = JdbcOutbox.writerOnly(dataSource)
                .transactions(txContext)
                .purger(new H2OutboxStore().agePurger())
                .retention(Duration.ofDays(1))
                .build()
                .start()) {
            write(outbox);
            outbox.purgeOnce();
            assertThat(count("outbox_event")).isEqualTo(1);
            update("UPDATE outbox_event SET created_at = TIMESTAMP '2026-01-01 00:00:00', event_id = '01J'");
            outbox.purgeOnce();
            assertThat(count("outbox_event")).isZero();
        }
    }

    private void createTable(String name) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", name).apply(connection);
        }
    }

    private void write(Outbox outbox) throws Exception {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            outbox.writer().write("OrderPlaced", "{\"order\":42}");
            tx.commit();
        }
    }

    private void update(String sql) throws Exception {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private int count(String what) throws Exception {
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT COUNT(*) FROM " + what)) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
