package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.DoubleDelivery;
import outbox.testing.OutboxAssertions;
import outbox.testing.Outboxes;
import outbox.testing.server.EmbeddedH2;

/** For the page on tests. */
class TestingSnippets {
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions =
            new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    private final Set<String> reserved = new TreeSet<>();

    @EventName("order.placed")
    record OrderPlaced(String eventId, Instant occurredAt, String orderId) implements DomainEvent {}

    @BeforeEach
    void createTable() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
    }

    private void reserve(OrderPlaced event) {
        reserved.add(event.orderId());
    }

    @Test
    void assertions() throws Exception {
        try (Outbox outbox = JdbcOutbox.multiNode(dataSource)
                        .transactions(txContext)
                        .listeners(new DefaultListenerRegistry().register("Order", "order.placed", event -> {}))
                        .pollOnDemand()
                        .build()
                        .start();
                JdbcTransactionManager.Transaction tx = transactions.begin()) {
            outbox.writer()
                    .write(EventEnvelope.builder("order.placed")
                            .aggregateType("Order")
                            .aggregateId("42")
                            .payloadJson("{\"cents\": 1999}")
                            .build());
            tx.commit();
            // snippet: assertions
            OutboxAssertions.assertThat(dataSource)
                    .published(OrderPlaced.class) // or the name of the type
                    .withKey("42") // the aggregate id
                    .withPayloadContaining("\"cents\":1999")
                    .once();
            // end
            // snippet: drain
            Outboxes.Drained drained = Outboxes.drain(outbox, dataSource);

            assertThat(drained.dead()).isZero();
            OutboxAssertions.assertThat(dataSource).published("order.placed").isDone();
            // end
        }
    }

    @Test
    void doubleDelivery() {
        OrderPlaced placed = new OrderPlaced(DomainEvent.newId(), Instant.now(), "42");
        // snippet: double
        DoubleDelivery.of(this::reserve)
                .effect(() -> List.copyOf(reserved)) // rows, mails, calls: what can be seen of it
                .check(placed);
        // end
    }
}
