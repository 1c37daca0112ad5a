package outbox.jdbc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxWriter;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** Several nodes, each with a pool of its own, on one real database. */
@Timeout(180)
abstract class EngineContract {
    private TestDatabase database;
    private AbstractJdbcOutboxStore store;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

    abstract DatabaseServer server();

    int orderedEvents() {
        return 4_000;
    }

    /** One process: pool, transactions, engine. */
    private record Node(JdbcTransactionManager transactions, Outbox outbox) {
        void write(List<EventEnvelope> events) throws SQLException {
            try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                outbox.writer().writeAll(events);
                tx.commit();
            }
        }
    }

    @BeforeEach
    void createTable() throws SQLException {
        database = server().freshDatabase();
        store = JdbcOutboxStores.detect(database.dataSource());
        try (Connection conn = database.dataSource().getConnection()) {
            store.schema().apply(conn);
        }
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable resource : open) {
            resource.close();
        }
        database.drop();
    }

    private Node node(DefaultListenerRegistry registry, UnaryOperator<OutboxBuilder> settings) {
        return node(registry, settings, config -> config.setMaximumPoolSize(8));
    }

    private Node node(
            DefaultListenerRegistry registry,
            UnaryOperator<OutboxBuilder> settings,
            Consumer<HikariConfig> poolSettings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.username());
        config.setPassword(database.password());
        poolSettings.accept(config);
        HikariDataSource pool = new HikariDataSource(config);
        open.add(0, pool);
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
        Outbox outbox = settings.apply(Outbox.multiNode()
                        .store(store)
                        .connections(connections)
                        .transactions(context)
                        .listeners(registry)
                        .pollInterval(Duration.ofMillis(200)))
                .build()
                .start();
        open.add(0, outbox);
        return new Node(new JdbcTransactionManager(connections, context), outbox);
    }

    private int count(String where) throws SQLException {
        try (Connection conn = database.dataSource().getConnection();
                Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM outbox_event WHERE " + where)) {
            row.next();
            return row.getInt(1);
        }
    }

    private void awaitCount(int expected, String where) {
        await().atMost(Duration.ofSeconds(120))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> count(where) == expected);
    }

    @Test
    void twoNodesDeliverTenThousandEventsOnceEach() throws Exception {
        DefaultListenerRegistry registry =
                new DefaultListenerRegistry().register("E", event -> delivered.add(event.eventId()));
        List<Node> nodes = List.of(node(registry, b -> b.nodeId("a")), node(registry, b -> b.nodeId("b")));
        ExecutorService writers = Executors.newFixedThreadPool(4);
        open.add(writers::shutdown);
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int w = 0; w < 4; w++) {
            Node node = nodes.get(w % 2);
            tasks.add(() -> {
                for (int i = 0; i < 500; i++) {
                    List<EventEnvelope> batch = new ArrayList<>();
                    for (int n = 0; n < 5; n++) {
                        batch.add(EventEnvelope.ofJson("E", "{\"n\":" + n + "}"));
                    }
                    node.write(batch);
                }
                return null;
            });
        }
        for (Future<Void> result : writers.invokeAll(tasks)) {
            result.get();
        }
        awaitCount(10_000, "status = 1");
        assertThat(delivered).hasSize(10_000).doesNotHaveDuplicates();
        assertThat(count("locked_by IS NOT NULL")).isZero();
    }

    @Test
    void eventsOfATransactionLongerThanItsLeaseAreNotThoseOfADeadProcess() throws Exception {
        int events = 900;
        Duration lease = Duration.ofSeconds(1);
        DefaultListenerRegistry registry =
                new DefaultListenerRegistry().register("E", event -> delivered.add(event.eventId()));
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(database.dataSource());
        OutboxDispatcher writing = OutboxDispatcher.builder() // never started: another node delivers
                .outboxStore(store)
                .connectionProvider(connections)
                .listenerRegistry(registry)
                .leaseTime(lease)
                .build();
        open.add(0, writing);
        try (JdbcTransactionManager.Transaction tx = new JdbcTransactionManager(connections, context).begin()) {
            new OutboxWriter(context, store, new DispatcherWriterHook(writing))
                    .writeAll(Stream.generate(() -> EventEnvelope.ofJson("E", "{}"))
                            .limit(events)
                            .toList());
            long over = System.nanoTime() + lease.multipliedBy(2).toNanos();
            await().until(() -> System.nanoTime() - over > 0);
            tx.commit();
        }
        node(registry, settings -> settings.leaseTime(lease));

        awaitCount(events, "status = 1");
        assertThat(count("attempts > 0")).as("attempts written before the call").isZero();
        assertThat(delivered).hasSize(events).doesNotHaveDuplicates();
    }

    @Test
    void aNodeWithNothingToDoAsksTwiceASecondAtMost() throws Exception {
        AtomicInteger statements = new AtomicInteger();
        open.add(Outbox.multiNode()
                .store(store)
                .connections(() -> counting(database.dataSource().getConnection(), statements))
                .listeners(new DefaultListenerRegistry().register("E", event -> {}))
                .build()
                .start());
        await().atMost(Duration.ofMinutes(1))
                .until(() -> statements.get() > 2); // the check of the table, and the first poll
        long start = System.nanoTime();
        statements.set(0);
        await().atMost(Duration.ofSeconds(60)).until(() -> statements.get() >= 8);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(3200));
    }

    /** H2 notes the time in a variable of the session first, which is no question to the table. */
    private static Connection counting(Connection conn, AtomicInteger statements) {
        return (Connection) Proxy.newProxyInstance(
                EngineContract.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("prepareStatement") && !((String) args[0]).startsWith("SET @")) {
                        statements.incrementAndGet();
                    }
                    try {
                        return method.invoke(conn, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void aPoolOfOneConnectionThatDoesNotCommitByItselfIsEnough() throws Exception {
        DefaultListenerRegistry registry = new DefaultListenerRegistry()
                .register("E", event -> delivered.add(event.eventId()))
                .register("Poison", event -> {
                    throw new StackOverflowError("of a listener");
                });
        Node node = node(
                registry,
                builder -> builder.maxAttempts(2)
                        .retryPolicy(attempts -> 1)
                        .leaseTime(Duration.ofSeconds(9))
                        .purger(store.purger())
                        .election(store.election())
                        .retention(Duration.ZERO)
                        .deadRetention(Duration.ZERO),
                config -> {
                    config.setMaximumPoolSize(1);
                    config.setAutoCommit(false);
                });
        for (int i = 0; i < 50; i++) {
            node.write(List.of(EventEnvelope.ofJson("E", "{}"), EventEnvelope.ofJson("E", "{}")));
        }
        node.write(List.of(EventEnvelope.ofJson("Poison", "{}")));
        awaitCount(1, "status = 3");
        awaitCount(100, "status = 1");
        assertThat(delivered).hasSize(100).doesNotHaveDuplicates();
        assertThat(node.outbox().deadEvents().replayAll(null, null, 10)).isOne();
        awaitCount(1, "status = 3");
        node.outbox().purgeOnce();
        assertThat(count("1 = 1")).isZero();
    }

    @Test
    void aColdBacklogIsDrainedByTwoNodesOnceEach() throws Exception {
        DefaultListenerRegistry registry =
                new DefaultListenerRegistry().register("E", event -> delivered.add(event.eventId()));
        try (Connection conn = database.dataSource().getConnection()) {
            conn.setAutoCommit(false);
            for (int i = 0; i < 5; i++) {
                List<EventEnvelope> batch = new ArrayList<>();
                for (int n = 0; n < 1000; n++) {
                    batch.add(EventEnvelope.ofJson("E", "{}"));
                }
                store.insertBatch(conn, batch);
            }
            conn.commit();
        }
        node(registry, b -> b.completionMode(CompletionMode.DELETE));
        node(registry, b -> b.completionMode(CompletionMode.DELETE));
        awaitCount(0, "1 = 1");
        assertThat(delivered).hasSize(5000).doesNotHaveDuplicates();
    }

    /** Neither blocked rows nor a small queue make a claim look like the last one. */
    @Test
    void aBacklogIsDrainedWithoutWaitingForTheNextPoll() throws Exception {
        try (Connection conn = database.dataSource().getConnection()) {
            store.orderedSchema().apply(conn);
            List<EventEnvelope> events = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                events.add(EventEnvelope.builder("E")
                        .aggregateType("Order")
                        .aggregateId(i < 2 ? "blocked" : "k" + i)
                        .payloadJson("{}")
                        .build());
            }
            store.insertBatch(conn, events);
            store.markDead(conn, events.get(0).eventId(), "in front of another");
        }
        DefaultListenerRegistry registry = new DefaultListenerRegistry().register("Order", "E", event -> {});
        node(registry, b -> b.ordered().claimSize(1000).coldQueueCapacity(40).pollInterval(Duration.ofHours(1)));
        awaitCount(298, "status = 1");
    }

    @Test
    void threeNodesKeepTheOrderOfTwoHundredKeysThroughFailures() throws Exception {
        int events = orderedEvents();
        int keys = 200;
        try (Connection conn = database.dataSource().getConnection()) {
            store.orderedSchema().apply(conn);
        }
        Map<String, Queue<Integer>> seen = new ConcurrentHashMap<>();
        Set<String> failedOnce = ConcurrentHashMap.newKeySet();
        DefaultListenerRegistry registry = new DefaultListenerRegistry().register("Order", "E", event -> {
            if (event.eventId().hashCode() % 50 == 0 && failedOnce.add(event.eventId())) {
                throw new IllegalStateException("fails once");
            }
            seen.computeIfAbsent(event.aggregateId(), key -> new ConcurrentLinkedQueue<>())
                    .add(Integer.valueOf(event.payloadJson()));
        });
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(node(registry, b -> b.ordered().retryPolicy(attempts -> 20)));
        }
        AtomicInteger next = new AtomicInteger();
        ExecutorService writers = Executors.newFixedThreadPool(4);
        open.add(writers::shutdown);
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int w = 0; w < 4; w++) {
            int writer = w;
            tasks.add(() -> {
                // Each key has one writer: what is written one after the other must be delivered so.
                for (int round = 0; round < events / keys; round++) {
                    List<EventEnvelope> batch = new ArrayList<>();
                    for (int key = writer; key < keys; key += 4) {
                        batch.add(EventEnvelope.builder("E")
                                .aggregateType("Order")
                                .aggregateId("k" + key)
                                .payloadJson(String.valueOf(round))
                                .build());
                    }
                    nodes.get(next.getAndIncrement() % 3).write(batch);
                }
                return null;
            });
        }
        for (Future<Void> result : writers.invokeAll(tasks)) {
            result.get();
        }
        awaitCount(events, "status = 1");
        assertThat(seen).hasSize(keys);
        seen.forEach((key, numbers) ->
                assertThat(List.copyOf(numbers)).as(key).hasSize(events / keys).isSorted());
        assertThat(failedOnce).isNotEmpty();
    }
}
