package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.WriterHook;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.H2OutboxStore;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

/** Writer, table and delivery together, under Spring's transactions. */
class OutboxInSpringTransactionsTest {
    private final TestDatabase database = EmbeddedH2.shared().freshDatabase();
    private final DataSource dataSource = database.dataSource();
    private final DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
    private final TransactionTemplate transactions = new TransactionTemplate(manager);
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final List<String> rolledBack = new CopyOnWriteArrayList<>();
    private Outbox outbox;

    @BeforeEach
    void start() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
        jdbc.execute("CREATE TABLE orders (id VARCHAR(36) PRIMARY KEY)");
        outbox = Outbox.multiNode()
                .store(new H2OutboxStore())
                .connections(new DataSourceConnectionProvider(dataSource))
                .transactions(new SpringTxContext(dataSource))
                .writerHook(new WriterHook() {
                    @Override
                    public void afterRollback(List<EventEnvelope> events) {
                        events.forEach(event -> rolledBack.add(event.aggregateId()));
                    }
                })
                .listeners(new DefaultListenerRegistry()
                        .register("Order", "OrderPlaced", event -> delivered.add(event.aggregateId())))
                .pollInterval(Duration.ofHours(1)) // so that only the hot path can have delivered
                .build()
                .start();
    }

    @AfterEach
    void stop() {
        outbox.close();
        database.drop();
    }

    @Test
    void changeAndEventCommitTogetherAndTheEventIsDeliveredAtOnce() {
        transactions.executeWithoutResult(status -> place("42"));

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(delivered).containsExactly("42"));
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(rows("status = 1"))
                        .isEqualTo(1)); // DONE, written by the dispatcher's own connection
        assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM orders", Integer.class))
                .isEqualTo(1);
    }

    @Test
    void changeAndEventVanishTogether() {
        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                    place("42");
                    place("42"); // the same order twice breaks the primary key
                }))
                .isInstanceOf(RuntimeException.class);

        assertThat(rows("TRUE")).isZero();
        assertThat(rolledBack).containsExactly("42");
        outbox.close(); // delivers what is queued
        assertThat(delivered).isEmpty();
    }

    @Test
    void anEventOfARolledBackSavepointIsNotDelivered() {
        TransactionTemplate nested = new TransactionTemplate(manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        transactions.executeWithoutResult(status -> {
            place("1");
            nested.executeWithoutResult(inner -> {
                place("2");
                inner.setRollbackOnly();
            });
            place("3");
        });

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(delivered).containsExactlyInAnyOrder("1", "3"));
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(rows("status = 1")).isEqualTo(2));
        assertThat(rows("TRUE")).isEqualTo(2);
        assertThat(rolledBack).containsExactly("2");
        outbox.close();
        assertThat(delivered).containsExactlyInAnyOrder("1", "3");
    }

    @Test
    void writingWithoutATransactionFailsAndWritesNothing() {
        assertThatThrownBy(() -> outbox.writer().write("OrderPlaced", "{}"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no active transaction");
        assertThat(rows("TRUE")).isZero();
    }

    private void place(String id) {
        jdbc.update("INSERT INTO orders VALUES (?)", id);
        outbox.writer()
                .write(EventEnvelope.builder("OrderPlaced")
                        .aggregateType("Order")
                        .aggregateId(id)
                        .payloadJson("{\"id\":\"" + id + "\"}")
                        .build());
    }

    private int rows(String condition) {
        return jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE " + condition, Integer.class);
    }
}
