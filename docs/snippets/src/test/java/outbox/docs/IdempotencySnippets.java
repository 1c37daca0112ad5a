package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxWriter;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventPublisher;
import outbox.domain.EventName;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.publish.TransactionalEventPublisher;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.idempotency.CreateRequest;
import outbox.idempotency.CreateWorkWithEvents;
import outbox.idempotency.DefaultIdempotentCreateTemplate;
import outbox.idempotency.IdempotentCreateResult;
import outbox.idempotency.IdempotentCreateTemplate;
import outbox.idempotency.Ulid128;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcIdempotencyRecords;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.idempotency.redis.OutboxRedis;
import outbox.idempotency.redis.RedisDispatchGuard;
import outbox.idempotency.redis.RedisEventConsumptionTracker;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.purge.OutboxPurgeScheduler;
import outbox.spi.ConnectionProvider;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.EmbeddedRedis;

class IdempotencySnippets {
    record OrderCreated(String publicId) {}

    @EventName("order.created")
    public record OrderCreatedEvent(String eventId, Instant occurredAt, String orderId) implements DomainEvent {
        OrderCreatedEvent(String orderId) {
            this(DomainEvent.newId(), Instant.now(), orderId);
        }
    }

    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final TransactionRunner transactions =
            new JdbcTransactionRunner(new JdbcTransactionManager(connections, txContext), txContext);
    private final PayloadSerializer serializer = PayloadSerializers.detect();
    private final DomainEventPublisher publisher = new TransactionalEventPublisher(
            new OutboxWriter(txContext, new H2OutboxStore()),
            txContext,
            new EventEnvelopes(EventTypes.builder().build(), serializer));
    private final List<String> done = new CopyOnWriteArrayList<>();

    @BeforeEach
    void createTables() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
            IdempotencySchema.of("h2").apply(connection);
            JdbcTemplate.update(
                    connection,
                    "CREATE TABLE orders (id BINARY(16), public_id VARCHAR(64))",
                    JdbcTemplate.Binder.NOTHING);
        }
    }

    private void insertOrder(Ulid128 internalId, String publicId) throws SQLException {
        JdbcTemplate.update(txContext.currentConnection(), "INSERT INTO orders VALUES (?, ?)", row -> {
            row.setBytes(1, internalId.bytes());
            row.setString(2, publicId);
        });
        done.add(publicId);
    }

    @Test
    void anOrderIsCreatedOncePerKey() {
        // snippet: template
        IdempotentCreateTemplate template = new DefaultIdempotentCreateTemplate(
                new JdbcIdempotencyRecords("h2", connections, txContext),
                transactions,
                txContext,
                publisher,
                serializer);
        // end
        String idempotencyKey = "9b1d";
        String body = "{\"cents\":1999}";
        // snippet: create
        CreateRequest<OrderCreated> request = CreateRequest.<OrderCreated>builder("order", idempotencyKey)
                .tenantId("acme")
                .request(body) // another body under this key is refused
                .returning(OrderCreated.class) // kept for those who ask again
                .publicIdPrefix("ord_")
                .txMode(TxMode.REQUIRES_NEW)
                .waitAtMost(Duration.ofSeconds(3)) // for somebody else with the same key
                .build();

        IdempotentCreateResult<OrderCreated> result = template.create(request, (internalId, publicId) -> {
            insertOrder(internalId, publicId); // BINARY(16) and VARCHAR
            return CreateWorkWithEvents.result(new OrderCreated(publicId), List.of(new OrderCreatedEvent(publicId)));
        });
        // end
        assertThat(result.replayed()).isFalse();
        IdempotentCreateResult<OrderCreated> again = template.create(request, (internalId, publicId) -> {
            throw new AssertionError("ran again");
        });
        assertThat(again.value()).isEqualTo(result.value());
        assertThat(done).containsExactly(result.publicId());
    }

    @Test
    void redisRemembersToo() throws Exception {
        String uri = EmbeddedRedis.shared();
        EventListener webhook = event -> done.add("sent");
        // snippet: redis
        OutboxRedis redis = OutboxRedis.connect(uri); // commands fail soon while the server is away
        EventConsumptionTracker tracker = new RedisEventConsumptionTracker(redis.commands(), Duration.ofDays(14));
        EventListener once = new RedisDispatchGuard(redis.commands()).guard(webhook);
        // end
        EventEnvelope event = EventEnvelope.ofJson("order.placed", "{}");
        once.onEvent(event);
        once.onEvent(event);
        assertThat(done).containsExactly("sent");
        assertThat(tracker.progressOf(event.eventId())).isEmpty();
        redis.close();
    }

    @Test
    void oldProgressIsPurged() {
        JdbcEventConsumptionTracker tracker = new JdbcEventConsumptionTracker("h2", connections, txContext);
        JdbcIdempotencyRecords records = new JdbcIdempotencyRecords("h2", connections, txContext);
        // snippet: purge
        OutboxPurgeScheduler purge = OutboxPurgeScheduler.builder()
                .connectionProvider(connections)
                .purger(tracker.purger("outbox_event")) // leaves what belongs to undelivered events
                .retention(Duration.ofDays(14))
                .build();
        purge.start();
        int gone = records.purgeExpired(1000); // from a scheduler of your own
        // end
        assertThat(gone).isZero();
        purge.close();
    }
}
