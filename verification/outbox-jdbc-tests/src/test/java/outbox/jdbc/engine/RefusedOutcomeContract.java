package outbox.jdbc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.dispatch.CompletionMode;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** Outcomes that a real database does not accept, whatever it says: the event ends within its attempts, others go on. */
@Timeout(180)
abstract class RefusedOutcomeContract {
    private static final int ATTEMPTS = 3;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger calls = new AtomicInteger();
    private TestDatabase database;
    private AbstractJdbcOutboxStore store;
    private JdbcTransactionManager transactions;

    /** Changes of a row of type {@code Bad} that the database is made to refuse. */
    enum Change {
        DONE,
        DELETE,
        /** Whatever ends its lease. */
        EVERY_OUTCOME
    }

    abstract DatabaseServer server();

    /** Statements that make the database refuse such a change. */
    abstract List<String> refuse(Change change);

    /** A database whose alphabet, or that of the column after {@link #narrowAlphabet}, has no letters but Latin ones. */
    TestDatabase narrowDatabase() throws SQLException {
        return server().freshDatabase();
    }

    abstract List<String> narrowAlphabet();

    /** Statements that give {@code last_error} room for 200 characters. */
    abstract List<String> shortErrors();

    private void createTable(TestDatabase in, List<String> andThen) throws SQLException {
        database = in;
        store = JdbcOutboxStores.detect(database.dataSource());
        try (Connection conn = database.dataSource().getConnection()) {
            store.schema().apply(conn);
        }
        execute(andThen);
    }

    private void execute(List<String> statements) throws SQLException {
        try (Connection conn = database.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable resource : open) {
            resource.close();
        }
        database.drop();
    }

    private Outbox node(String id, EventListener bad, UnaryOperator<OutboxBuilder> settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(6);
        HikariDataSource pool = new HikariDataSource(config);
        open.add(0, pool);
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
        transactions = new JdbcTransactionManager(connections, context);
        DefaultListenerRegistry registry = new DefaultListenerRegistry()
                .register("Good", event -> delivered.add(event.eventId()))
                .register("Bad", event -> {
                    calls.incrementAndGet();
                    bad.onEvent(event);
                });
        Outbox outbox = settings.apply(Outbox.multiNode()
                        .nodeId(id)
                        .store(store)
                        .connections(connections)
                        .transactions(context)
                        .listeners(registry)
                        .maxAttempts(ATTEMPTS)
                        .retryPolicy(attempt -> 10)
                        .pollInterval(Duration.ofMillis(200)))
                .build()
                .start();
        open.add(0, outbox);
        return outbox;
    }

    /** A bad event with good ones before, beside and after it. */
    private void writeAmong(Outbox outbox, int good) throws SQLException {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < good; i++) {
            events.add(EventEnvelope.ofJson("Good", "{}"));
        }
        events.add(good / 2, EventEnvelope.ofJson("Bad", "{}"));
        for (int from = 0; from < events.size(); from += 100) {
            try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                outbox.writer().writeAll(events.subList(from, Math.min(from + 100, events.size())));
                tx.commit();
            }
        }
    }

    private String read(String column, String where) throws SQLException {
        try (Connection conn = database.dataSource().getConnection();
                Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + column + " FROM outbox_event WHERE " + where)) {
            return row.next() ? String.valueOf(row.getString(1)) : "";
        }
    }

    private void awaitCount(int expected, String where) {
        await().atMost(Duration.ofSeconds(120))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> read("COUNT(*)", where).equals(String.valueOf(expected)));
    }

    private void assertDeadAfterItsAttempts() throws SQLException {
        awaitCount(1, "event_type = 'Bad' AND status = 3");
        assertThat(calls).hasValue(ATTEMPTS);
        assertThat(read("attempts", "event_type = 'Bad'")).isEqualTo("" + ATTEMPTS);
        assertThat(read("done_at", "event_type = 'Bad'")).isNotEqualTo("null");
    }

    @Test
    void anEventWhoseSuccessIsRefusedIsDeadAfterItsAttemptsAndStopsNobody() throws Exception {
        createTable(server().freshDatabase(), refuse(Change.DONE));
        Outbox first = node("first", event -> {}, b -> b);
        writeAmong(first, 3_000);

        awaitCount(3_000, "status = 1");
        assertDeadAfterItsAttempts();
        assertThat(read("last_error", "event_type = 'Bad'")).contains("refused", "not this one");

        first.close();
        Outbox second = node("second", event -> {}, b -> b);
        writeAmong(second, 10);
        awaitCount(3_010, "status = 1");
        awaitCount(2, "status = 3");
        assertThat(delivered).hasSize(3_010).doesNotHaveDuplicates();
        assertThat(calls).hasValue(2 * ATTEMPTS);
    }

    @Test
    void anEventThatCannotBeDeletedIsDeadAfterItsAttempts() throws Exception {
        createTable(server().freshDatabase(), refuse(Change.DELETE));
        writeAmong(node("n", event -> {}, b -> b.completionMode(CompletionMode.DELETE)), 200);

        assertDeadAfterItsAttempts();
        awaitCount(1, "1 = 1");
        assertThat(delivered).hasSize(200).doesNotHaveDuplicates();
    }

    @Test
    void anEventWhoseOutcomesAreAllRefusedIsNotCalledForEver() throws Exception {
        createTable(server().freshDatabase(), refuse(Change.EVERY_OUTCOME));
        Outbox outbox = node("n", event -> {}, b -> b.leaseTime(Duration.ofSeconds(3)));
        writeAmong(outbox, 200);
        awaitCount(200, "status = 1");
        for (int i = 0; i < 20; i++) { // each is written, delivered and settled, while leases come and go
            writeAmong(outbox, 10);
            awaitCount(200 + 10 * (i + 1), "status = 1");
        }
        assertThat(delivered).hasSize(400).doesNotHaveDuplicates();
        assertThat(calls.get()).isLessThanOrEqualTo(21 * ATTEMPTS);
    }

    @Test
    void anErrorTextInAnUnknownAlphabetIsLeftOut() throws Exception {
        createTable(narrowDatabase(), narrowAlphabet());
        writeAmong(node("n", RefusedOutcomeContract::failInEveryAlphabet, b -> b), 3_000);

        awaitCount(3_000, "status = 1");
        assertDeadAfterItsAttempts();
        assertThat(read("last_error", "event_type = 'Bad'")).contains("IllegalStateException", "SQLState");
        assertThat(delivered).hasSize(3_000).doesNotHaveDuplicates();
    }

    private static void failInEveryAlphabet(EventEnvelope event) {
        throw new IllegalStateException("\ud83d\ude00 \u65e5\u672c\u8a9e \u0434\u0430 \u2603");
    }

    @Test
    void anErrorTextLongerThanTheColumnIsLeftOut() throws Exception {
        createTable(server().freshDatabase(), shortErrors());
        writeAmong(
                node(
                        "n",
                        event -> {
                            throw new IllegalStateException("x".repeat(3_000));
                        },
                        b -> b),
                200);

        awaitCount(200, "status = 1");
        assertDeadAfterItsAttempts();
        assertThat(read("last_error", "event_type = 'Bad'")).contains("IllegalStateException", "SQLState");
    }

    @Test
    void aRowSomebodyHasLockedHoldsUpOnlyItself() throws Exception {
        createTable(server().freshDatabase(), List.of());
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch locked = new CountDownLatch(1);
        Outbox outbox = node(
                "n",
                event -> {
                    called.countDown();
                    locked.await();
                },
                b -> b);
        writeAmong(outbox, 10);
        called.await();
        try (Connection other = database.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            String bad = read("event_id", "event_type = 'Bad'");
            statement
                    .executeQuery("SELECT event_id FROM outbox_event WHERE event_id = '" + bad + "' FOR UPDATE")
                    .close();
            locked.countDown();
            for (int i = 1; i <= 10; i++) {
                List<EventEnvelope> good = List.of(EventEnvelope.ofJson("Good", "{}"));
                try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                    outbox.writer().writeAll(good);
                    tx.commit();
                }
                awaitCount(10 + i, "status = 1");
            }
            other.rollback();
        }
        awaitCount(21, "status = 1");
        assertThat(calls).hasValue(1);
        assertThat(delivered).hasSize(20).doesNotHaveDuplicates();
    }
}
