package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.docs.Patience.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;
import outbox.domain.EventName;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.Attempt;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventHeader;
import outbox.domain.handler.EventId;
import outbox.domain.handler.EventRoute;
import outbox.domain.handler.HandlerOptions;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.handler.HandlerState;
import outbox.domain.handler.LastAttempt;
import outbox.domain.handler.RetryRule;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.publish.TransactionalEventPublisher;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.ConnectionProvider;
import outbox.testing.server.EmbeddedH2;

class HandlerSnippets {
    @EventName("order.placed")
    public record OrderPlaced(String eventId, Instant occurredAt, String orderId) implements DomainEvent {}

    static class NoSuchCustomer extends RuntimeException {}

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final TransactionRunner transactions =
            new JdbcTransactionRunner(new JdbcTransactionManager(connections, txContext), txContext);
    private final PayloadSerializer serializer = PayloadSerializers.detect();

    // snippet: handlers
    class Shop {
        @EventHandler(
                name = "mail", // under which progress is stored
                retry = "outbound", // 30 s doubling, 5 attempts
                deadOn = NoSuchCustomer.class, // trying again is useless
                concurrency = 2)
        void mail(OrderPlaced event, EventEnvelope envelope) {
            send(event.orderId(), envelope.headers().get("traceId"));
        }

        @EventHandler(name = "stock", transactional = true)
        void reserve(OrderPlaced event) throws SQLException {
            reserveStock(txContext.currentConnection(), event.orderId()); // exactly once
        }

        @EventHandler(name = "index", batch = 50)
        void index(List<OrderPlaced> events) {
            addToIndex(events);
        }
    }
    // end

    class Payments {
        // snippet: values
        @EventHandler(name = "pay", retry = "outbound")
        void pay(
                OrderPlaced event,
                @EventId String key,
                @EventHeader("traceId") String traceId,
                @Attempt int attempt,
                @LastAttempt boolean last) {
            charge(event.orderId(), key, attempt == 1 ? "fast lane" : last ? "by hand" : "retry");
        }
        // end

        private void charge(String orderId, String key, String how) {
            done.add(orderId + " " + key + " " + how);
        }
    }

    @Test
    void valuesByAnnotation() throws Exception {
        OrderPlaced event = new OrderPlaced(DomainEvent.newId(), Instant.now(), "42");
        EventEnvelopes envelopes = new EventEnvelopes(EventTypes.builder().build(), serializer);
        try (EventHandlers handlers =
                EventHandlers.scan(new Payments()).serializer(serializer).build()) {
            EventEnvelope envelope = envelopes.envelope(event, DomainEventContext.NONE);
            handlers.listenerFor(envelope).onEvent(envelope);
        }
        assertThat(done).containsExactly("42 " + event.eventId() + " fast lane");
    }

    @Test
    void eachHandlerHasAStateOfItsOwn() throws Exception {
        createTables();
        // snippet: build
        EventHandlers handlers = EventHandlers.scan(new Shop())
                .serializer(serializer)
                .tracker(new JdbcEventConsumptionTracker("h2", connections, txContext))
                .transactions(transactions)
                .build();
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(handlers)
                .build()
                .start();
        // end
        DomainEventPublisher publisher = new TransactionalEventPublisher(
                outbox.writer(),
                txContext,
                new EventEnvelopes(EventTypes.builder().build(), serializer));
        OrderPlaced event = new OrderPlaced(DomainEvent.newId(), Instant.now(), "42");
        transactions.run(TxMode.REQUIRED, () -> {
            publisher.publish(event);
            return true;
        });
        await().untilAsserted(() -> assertThat(done).hasSize(3));
        await().untilAsserted(() -> {
            // snippet: progress
            for (HandlerProgress progress : handlers.progressOf(event.eventId(), "order.placed")) {
                System.out.println(progress.handler() + " is " + progress.state() + " after " + progress.attempts()
                        + " attempt(s), last error: " + progress.lastError());
            }
            // end
            assertThat(handlers.progressOf(event.eventId(), "order.placed"))
                    .hasSize(3)
                    .filteredOn(progress -> progress.state() == HandlerState.DONE)
                    .as("of the others the row says it")
                    .extracting(HandlerProgress::handler)
                    .containsExactly("stock");
        });
        outbox.close();
        handlers.close();
    }

    // snippet: renamed
    class Warehouse {
        @EventHandler(name = "warehouse", formerNames = "stock", transactional = true)
        void reserve(OrderPlaced event) throws SQLException {
            reserveStock(txContext.currentConnection(), event.orderId());
        }
    }
    // end

    @Test
    void handlersWithoutAnAnnotation() throws Exception {
        createTables();
        // snippet: functions
        EventHandlers handlers = EventHandlers.scan(new Warehouse())
                .handler(
                        "statistics",
                        OrderPlaced.class,
                        HandlerOptions.DEFAULT.retry(RetryRule.RECOVERY).concurrency(1),
                        (event, envelope) -> count(event))
                .route(EventRoute.to("broker", envelope -> sendToBroker(envelope))
                        .eventTypes("order.*"))
                .deadOn(IllegalArgumentException.class) // for all of them
                .retired("old-report") // gone on purpose
                .serializer(serializer)
                .tracker(new JdbcEventConsumptionTracker("h2", connections, txContext))
                .transactions(transactions)
                .build();
        // end
        assertThat(handlers.handlers()).hasSize(3);
        handlers.listenerFor("Order", "order.placed")
                .onEvent(EventEnvelope.builder("order.placed")
                        .payloadJson("{\"eventId\":\"e\",\"occurredAt\":\"2026-01-01T00:00:00Z\",\"orderId\":\"7\"}")
                        .build());
        assertThat(done).containsExactlyInAnyOrder("statistics", "broker", "stock 7");
        handlers.close();
    }

    private void createTables() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            // snippet: schema
            OutboxSchema.of("h2", "outbox_event").apply(connection);
            IdempotencySchema.of("h2").apply(connection);
            // end
            JdbcTemplate.update(connection, "CREATE TABLE stock (order_id VARCHAR(20))", JdbcTemplate.Binder.NOTHING);
        }
    }

    private void send(String orderId, String traceId) {
        done.add("mail " + orderId);
    }

    private void reserveStock(Connection connection, String orderId) throws SQLException {
        JdbcTemplate.update(connection, "INSERT INTO stock VALUES (?)", row -> row.setString(1, orderId));
        done.add("stock " + orderId);
    }

    private void addToIndex(List<OrderPlaced> events) {
        done.add("index " + events.size());
    }

    private void count(OrderPlaced event) {
        done.add("statistics");
    }

    private void sendToBroker(EventEnvelope envelope) {
        done.add("broker");
    }
}
