package outbox.jdbc.online;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TestTable;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.DatabaseServer;

/**
 * The shipped way from unordered to ordered delivery on a filled table, while writers write: they are not locked out for
 * the time of the longest step, and afterwards everything is delivered, each aggregate in the order it was written.
 */
abstract class OnlineOrderContract {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int BATCH = 1000;
    private static final int ATTEMPTS = 60;
    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int WRITERS = 2;
    private static final int KEYS_OF_A_WRITER = 10;

    private final Supplier<DatabaseServer> server;
    private final AbstractJdbcOutboxStore store;
    private final Map<String, AtomicInteger> written = new ConcurrentHashMap<>();
    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private final Set<String> deliveredBefore = ConcurrentHashMap.newKeySet();
    private final Map<String, Queue<Integer>> deliveredInOrder = new ConcurrentHashMap<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    OnlineOrderContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        this.server = server;
        this.store = store;
    }

    /** Delivered rows that are there, and undelivered ones for each writer. */
    abstract void fill(TestTable table) throws Exception;

    /** Runs the steps; {@code stopNode} ends unordered delivery. */
    abstract void migrate(TestTable table, Runnable stopNode) throws Exception;

    @Test
    void orderedDeliveryBeginsOnAFilledTableWhileEventsAreWritten() throws Exception {
        try (TestTable table = new TestTable(server.get(), store)) {
            fill(table);
            List<Thread> writers = startWriters(table);
            try {
                await().atMost(LONG).until(() -> commits.get() > 20 || !failures.isEmpty());
                Outbox unordered = node(table, this::slowly, builder -> builder.workerCount(1));
                try {
                    migrate(table, unordered::close);
                } finally {
                    unordered.close();
                }
                try (Connection conn = table.dataSource().getConnection()) {
                    assertThat(store.orderedSchema().missingIndexes(conn)).isEmpty();
                }
                try (Outbox ordered = node(table, this::inOrder, OutboxBuilder::ordered)) {
                    int soFar = commits.get();
                    await().atMost(LONG).until(() -> commits.get() > soFar + 100 || !failures.isEmpty());
                    end(writers);
                    await().atMost(LONG).until(() -> count(table, "status IN (0, 2)") == 0);
                }
            } finally {
                end(writers);
            }
            assertThat(failures).isEmpty();
            check(table);
        }
    }

    private void check(TestTable table) throws SQLException {
        assertThat(written).hasSize(WRITERS * KEYS_OF_A_WRITER);
        written.forEach((key, count) -> {
            List<Integer> seen = List.copyOf(deliveredInOrder.getOrDefault(key, new ConcurrentLinkedQueue<>()));
            assertThat(seen).as("order of %s", key).isNotEmpty().isSorted().doesNotHaveDuplicates();
            Set<Integer> all = new HashSet<>(seen);
            IntStream.range(0, count.get())
                    .filter(number -> deliveredBefore.contains(id(key, number)))
                    .forEach(all::add);
            assertThat(all).as("events of %s", key).hasSize(count.get());
        });
        assertThat(count(table, "seq IS NULL")).isZero();
    }

    // ---- writing and delivering ----------------------------------------------------------------------------------

    /** Ids have the order in which they are written, as generated ones do. */
    static String id(String key, int number) {
        return "%012d-%s".formatted(number, key);
    }

    private EventEnvelope next(String key) {
        int number = written.computeIfAbsent(key, any -> new AtomicInteger()).getAndIncrement();
        return EventEnvelope.builder("Changed")
                .eventId(id(key, number))
                .aggregateType("Order")
                .aggregateId(key)
                .payloadJson(Integer.toString(number))
                .build();
    }

    private List<Thread> startWriters(TestTable table) {
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            String name = "writer" + i;
            Thread writer = new Thread(() -> write(table, name), name);
            writer.start();
            writers.add(writer);
        }
        return writers;
    }

    /** Each aggregate has one writer. */
    private void write(TestTable table, String name) {
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        JdbcTransactionManager transactions =
                new JdbcTransactionManager(new DataSourceConnectionProvider(table.dataSource()), context);
        try (Outbox outbox = JdbcOutbox.writerOnly(table.dataSource(), store)
                .transactions(context)
                .build()
                .start()) {
            for (int n = 0; !over.get(); n++) {
                try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                    outbox.writer().write(next(name + "-" + n % KEYS_OF_A_WRITER));
                    tx.commit();
                }
                commits.incrementAndGet();
            }
        } catch (Exception | Error e) {
            failures.add(e);
        }
    }

    private void end(List<Thread> writers) throws InterruptedException {
        over.set(true);
        for (Thread writer : writers) {
            writer.join(LONG.toMillis());
        }
    }

    private Outbox node(TestTable table, EventListener listener, UnaryOperator<OutboxBuilder> mode) {
        return mode.apply(JdbcOutbox.multiNode(table.dataSource(), store)
                        .transactions(new ThreadLocalTxContext())
                        .listeners(new DefaultListenerRegistry().register("Order", "Changed", listener)))
                .build()
                .start();
    }

    /** So that there is a backlog when the order begins. */
    private void slowly(EventEnvelope event) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(2);
        deliveredBefore.add(event.eventId());
    }

    private void inOrder(EventEnvelope event) {
        deliveredInOrder
                .computeIfAbsent(event.aggregateId(), key -> new ConcurrentLinkedQueue<>())
                .add(Integer.valueOf(event.payloadJson()));
    }

    // ---- the table -----------------------------------------------------------------------------------------------

    /** Rows that were delivered long ago. */
    final void delivered(TestTable table, int rows) throws SQLException {
        insert(table, rows, n -> EventEnvelope.builder("Old").payloadJson("{}").build());
        table.execute(
                "UPDATE " + store.tableName() + " SET status = 1, done_at = available_at WHERE event_type = 'Old'");
    }

    /** Events that nobody has delivered yet. */
    final void backlog(TestTable table, int rows) throws SQLException {
        insert(table, rows, n -> next("writer" + n % WRITERS + "-" + n / WRITERS % KEYS_OF_A_WRITER));
    }

    private void insert(TestTable table, int rows, IntFunction<EventEnvelope> event) throws SQLException {
        try (Connection conn = table.dataSource().getConnection()) {
            for (int from = 0; from < rows; from += BATCH) {
                store.insertBatch(
                        conn,
                        IntStream.range(from, Math.min(rows, from + BATCH))
                                .mapToObj(event)
                                .toList());
            }
        }
    }

    /**
     * Again when a lock was not free in time or there was a deadlock, as the file says.
     *
     * @return the commits of the writers meanwhile
     */
    final int run(Connection conn, String sql) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            int before = commits.get();
            try (Statement statement = conn.createStatement()) {
                statement.execute(sql);
                return commits.get() - before;
            } catch (SQLException e) {
                boolean again = Set.of("55P03", "40P01").contains(String.valueOf(e.getSQLState()))
                        || e.getErrorCode() == LOCK_WAIT_TIMEOUT;
                if (!again || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** The statements of the shipped file. What stands between {@code $$} is part of one. */
    final List<String> shipped() throws IOException {
        try (InputStream in =
                OutboxSchema.class.getResourceAsStream("/outbox/schema/" + store.name() + "-ordered-online.sql")) {
            String code = new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll("(?m)^--.*$", "");
            List<String> statements = new ArrayList<>();
            StringBuilder statement = new StringBuilder();
            for (String line : code.strip().split("\n")) {
                statement.append(line).append('\n');
                boolean quoted = statement.toString().split("\\$\\$", -1).length % 2 == 0;
                if (line.endsWith(";") && !quoted) {
                    statements.add(statement.toString().strip().replaceFirst(";$", ""));
                    statement.setLength(0);
                }
            }
            assertThat(statement).as("the file ends with a statement").isBlank();
            return statements;
        }
    }

    final int count(TestTable table, String condition) throws SQLException {
        try (Connection conn = table.dataSource().getConnection()) {
            return JdbcTemplate.query(
                            conn,
                            "SELECT COUNT(*) FROM " + store.tableName() + " WHERE " + condition,
                            JdbcTemplate.Binder.NOTHING,
                            row -> row.getInt(1))
                    .get(0);
        }
    }

    static int first(List<String> statements, String beginning) {
        return IntStream.range(0, statements.size())
                .filter(i -> statements.get(i).startsWith(beginning))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no statement begins with " + beginning));
    }
}
