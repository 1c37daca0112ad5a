package application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.AggregateType;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.EventType;
import outbox.OutboxWriter;
import outbox.StringAggregateType;
import outbox.StringEventType;
import outbox.WriterHook;
import outbox.dead.DeadEventManager;
import outbox.dispatch.DefaultInFlightTracker;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.EventInterceptor;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.InFlightTracker;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.RetryPolicy;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableNames;
import outbox.jdbc.purge.H2EventPurger;
import outbox.jdbc.purge.MySqlEventPurger;
import outbox.jdbc.purge.PostgresEventPurger;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.store.MySqlOutboxStore;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.poller.OutboxPoller;
import outbox.poller.OutboxPollerHandler;
import outbox.purge.OutboxPurgeScheduler;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.util.JsonCodec;

/** Code as the specification shows it, from outside of the framework's packages: it must compile, and work. */
class SpecificationCodeTest {
    private enum UserEvents implements EventType {
        USER_CREATED
    }

    private enum Aggregates implements AggregateType {
        USER
    }

    private final JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:spec;DB_CLOSE_DELAY=-1", "sa", "");
    private final DataSource dataSource = pool;
    private final ConnectionProvider connectionProvider = new DataSourceConnectionProvider(dataSource);
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions = new JdbcTransactionManager(connectionProvider, txContext);
    private final MetricsExporter metricsExporter = MetricsExporter.NOOP;

    @BeforeEach
    void createTable() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
    }

    @AfterEach
    void drop() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.createStatement().execute("SHUTDOWN");
        }
        pool.dispose();
    }

    @Test
    void envelopesOfSections5And6() {
        EventEnvelope typed = EventEnvelope.builder(UserEvents.USER_CREATED)
                .aggregateType(Aggregates.USER)
                .aggregateId("123")
                .tenantId("tenant-123")
                .headers(Map.of("k", "v"))
                .payloadJson("{\"name\":\"John\"}")
                .build();
        EventEnvelope dynamic = EventEnvelope.builder(StringEventType.of("UserCreated"))
                .aggregateType(StringAggregateType.of("CustomAggregate"))
                .payloadBytes(new byte[] {1})
                .build();
        EventEnvelope brief = EventEnvelope.ofJson("UserCreated", "{}");

        assertThat(typed.eventType()).isEqualTo("USER_CREATED");
        assertThat(typed.aggregateType()).isEqualTo("USER");
        assertThat(dynamic.payloadBytes()).containsExactly(1);
        assertThat(brief.aggregateType()).isEqualTo(AggregateType.GLOBAL.name()).isEqualTo("__GLOBAL__");
        assertThat(brief.eventId()).hasSize(26);
        assertThat(brief.occurredAt()).isBeforeOrEqualTo(Instant.now());
        assertThat(EventEnvelope.MAX_PAYLOAD_BYTES).isEqualTo(1_048_576);
    }

    @Test
    void theWholeWayOfAnEventInParts() throws Exception {
        OutboxStore outboxStore = JdbcOutboxStores.detect(dataSource);
        List<String> seen = new CopyOnWriteArrayList<>();
        EventListener failing = event -> {
            throw new IllegalStateException("down");
        };
        DefaultListenerRegistry registry = new DefaultListenerRegistry();
        registry.register("UserCreated", event -> seen.add(event.eventId()));
        registry.register("Order", "OrderPlaced", failing);
        registry.register(Aggregates.USER, UserEvents.USER_CREATED, event -> seen.add(event.eventId()));
        ListenerRegistry listenerRegistry = registry;
        InFlightTracker tracker = new DefaultInFlightTracker(60_000);
        RetryPolicy policy = new ExponentialBackoffRetryPolicy(1, 10);

        OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connectionProvider)
                .outboxStore(outboxStore)
                .listenerRegistry(listenerRegistry)
                .inFlightTracker(tracker)
                .retryPolicy(policy)
                .maxAttempts(2)
                .workerCount(4)
                .hotQueueCapacity(1000)
                .coldQueueCapacity(1000)
                .metrics(metricsExporter)
                .interceptor(EventInterceptor.before(event -> seen.add("before")))
                .interceptors(List.of(EventInterceptor.after((event, error) -> seen.add("after " + (error != null)))))
                .drainTimeoutMs(5000)
                .build();
        OutboxPoller poller = OutboxPoller.builder()
                .connectionProvider(connectionProvider)
                .outboxStore(outboxStore)
                .handler(new DispatcherPollerHandler(dispatcher))
                .skipRecent(Duration.ZERO)
                .batchSize(50)
                .intervalMs(20)
                .metrics(metricsExporter)
                .jsonCodec(JsonCodec.getDefault())
                .claimLocking("poller-1", Duration.ofMinutes(5))
                .build();
        OutboxWriter writer =
                new OutboxWriter(txContext, outboxStore, new DispatcherWriterHook(dispatcher, metricsExporter));
        DeadEventManager dead = new DeadEventManager(connectionProvider, outboxStore);
        try (dispatcher;
                poller) {
            poller.start();
            assertThatThrownBy(() -> writer.write("UserCreated", "{}")).isInstanceOf(IllegalStateException.class);
            String id;
            try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                id = writer.write("UserCreated", "{}");
                writer.write(UserEvents.USER_CREATED, "{}"); // of no aggregate: nobody listens
                writer.writeAll(List.of(EventEnvelope.builder("OrderPlaced")
                        .aggregateType("Order")
                        .payloadJson("{}")
                        .build()));
                tx.commit();
            }
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> dead.count(null) == 2 && seen.containsAll(List.of(id, "after false")));
            assertThat(seen).contains("before", "after false", "after true");
            assertThat(dispatcher.coldQueueRemainingCapacity()).isEqualTo(1000);

            OutboxEvent given = dead.query("OrderPlaced", "Order", 10).get(0);
            assertThat(dead.replay(given.eventId())).isTrue();
            await().atMost(Duration.ofMinutes(1)).until(() -> dead.count("OrderPlaced") == 1);
            assertThat(dead.replayAll(null, null, 100)).isEqualTo(2);
        }
        assertThat(dispatcher.enqueueHot(
                        new QueuedEvent(EventEnvelope.ofJson("UserCreated", "{}"), QueuedEvent.Source.HOT, 0)))
                .isFalse();
    }

    @Test
    void storesAndPurgersOfSections8And17() throws SQLException {
        JsonCodec codec = JsonCodec.getDefault();
        List<AbstractJdbcOutboxStore> stores =
                List.of(new H2OutboxStore("t", codec), new MySqlOutboxStore("t"), new PostgresOutboxStore());
        List<EventPurger> purgers =
                List.of(new H2EventPurger("t"), new MySqlEventPurger("t"), new PostgresEventPurger("t"));
        assertThat(stores).hasSameSizeAs(purgers);
        assertThat(JdbcOutboxStores.detect(dataSource, codec)).isInstanceOf(H2OutboxStore.class);
        assertThat(JdbcOutboxStores.get("h2").name()).isEqualTo("h2");
        assertThat(TableNames.validate("a.b")).isEqualTo("a.b");

        OutboxStore store = new H2OutboxStore();
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        try (Connection conn = dataSource.getConnection()) {
            store.insertNew(conn, event);
            Instant now = Instant.now().plusSeconds(1);
            assertThat(store.claimPending(conn, "me", now, now.minusSeconds(300), Duration.ZERO, 10))
                    .extracting(OutboxEvent::eventId)
                    .containsExactly(event.eventId());
            assertThat(store.markRetry(conn, event.eventId(), now, "later")).isEqualTo(1);
            assertThat(store.pollPending(conn, now, Duration.ZERO, 10))
                    .extracting(OutboxEvent::attempts)
                    .containsExactly(1);
            assertThat(store.markDone(conn, event.eventId())).isEqualTo(1);
            assertThat(store.markDead(conn, event.eventId(), "too late")).isZero();
        }
        try (OutboxPurgeScheduler scheduler = OutboxPurgeScheduler.builder()
                .connectionProvider(connectionProvider)
                .purger(new H2EventPurger())
                .retention(Duration.ZERO)
                .batchSize(500)
                .intervalSeconds(3600)
                .build()) {
            scheduler.start();
            scheduler.runOnce();
        }
        try (Connection conn = dataSource.getConnection()) {
            assertThat(store.markDone(conn, event.eventId())).isZero();
            assertThat(store.countDead(conn, null)).isZero();
        }
    }

    @Test
    void defaultsOfSections4And10And12And14And17() {
        assertThat(OutboxDispatcher.DEFAULT_WORKER_COUNT).isEqualTo(4);
        assertThat(OutboxDispatcher.DEFAULT_HOT_QUEUE_CAPACITY).isEqualTo(1000);
        assertThat(OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY).isEqualTo(1000);
        assertThat(OutboxDispatcher.DEFAULT_MAX_ATTEMPTS).isEqualTo(10);
        assertThat(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS).isEqualTo(5000);
        assertThat(ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS).isEqualTo(200);
        assertThat(ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS).isEqualTo(60_000);
        assertThat(OutboxPoller.DEFAULT_BATCH_SIZE).isEqualTo(50);
        assertThat(OutboxPoller.DEFAULT_INTERVAL_MS).isEqualTo(5000);
        assertThat(OutboxPoller.DEFAULT_SKIP_RECENT).isZero();
        assertThat(OutboxPurgeScheduler.DEFAULT_RETENTION).isEqualTo(Duration.ofDays(7));
        assertThat(OutboxPurgeScheduler.DEFAULT_BATCH_SIZE).isEqualTo(500);
        assertThat(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS).isEqualTo(3600);
        assertThat(EventStatus.values()).extracting(EventStatus::code).containsExactly(0, 1, 2, 3);
        assertThat(EventStatus.values())
                .containsExactly(EventStatus.NEW, EventStatus.DONE, EventStatus.RETRY, EventStatus.DEAD);
        WriterHook nothing = WriterHook.NOOP;
        assertThat(nothing.beforeWrite(List.of())).isEmpty();
        OutboxPollerHandler handler = (event, attempts) -> true;
        assertThat(handler.availableCapacity()).isEqualTo(Integer.MAX_VALUE);
    }
}
