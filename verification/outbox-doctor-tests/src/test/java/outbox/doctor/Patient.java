package outbox.doctor;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.Settlement;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;
import outbox.util.Ulid;

/** A database of its own with an outbox table to be made ill. */
final class Patient {
    /** As outbox-control-center makes it; that one depends on this module, and not the other way round. */
    private static final String ATTEMPTS = """
            CREATE TABLE outbox_attempt (
              id VARCHAR(26) PRIMARY KEY, event_id VARCHAR(36) NOT NULL, event_type VARCHAR(128) NOT NULL,
              attempt INT NOT NULL, happened_at TIMESTAMP NOT NULL, duration_micros BIGINT)
            """;

    private static final Duration PATIENCE = Duration.ofMinutes(1); // a busy machine is no failure

    private final TestDatabase database;
    private final AbstractJdbcOutboxStore store;
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final AtomicInteger delivered = new AtomicInteger();

    private Patient(TestDatabase database) {
        this.database = database;
        this.store = JdbcOutboxStores.detect(database.jdbcUrl());
    }

    /** Without a table. */
    static Patient empty(DatabaseServer server) {
        return new Patient(server.freshDatabase());
    }

    static Patient on(DatabaseServer server) throws SQLException {
        Patient patient = empty(server);
        try (Connection conn = patient.dataSource().getConnection()) {
            patient.store.schema().apply(conn);
        }
        return patient;
    }

    static Patient ordered(DatabaseServer server) throws SQLException {
        Patient patient = on(server);
        try (Connection conn = patient.dataSource().getConnection()) {
            patient.store.orderedSchema().apply(conn);
        }
        return patient;
    }

    TestDatabase database() {
        return database;
    }

    DataSource dataSource() {
        return database.dataSource();
    }

    AbstractJdbcOutboxStore store() {
        return store;
    }

    JdbcTransactionManager transactions() {
        return new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource()), txContext);
    }

    Doctor doctor() {
        return Doctor.of(dataSource()).sampleTime(Duration.ZERO).queryTimeout(PATIENCE);
    }

    OutboxBuilder multiNode() {
        return fill(JdbcOutbox.multiNode(dataSource(), store));
    }

    OutboxBuilder singleNode() {
        return fill(JdbcOutbox.singleNode(dataSource(), store));
    }

    private OutboxBuilder fill(OutboxBuilder builder) {
        return builder.transactions(txContext)
                .failureListener(failure -> {})
                .listeners(new DefaultListenerRegistry().register("OrderPlaced", event -> delivered.incrementAndGet()));
    }

    /** Writes events through the writer and waits until they are delivered. */
    void deliver(Outbox outbox, int events) throws SQLException {
        for (int i = 0; i < events; i++) {
            try (JdbcTransactionManager.Transaction tx = transactions().begin()) {
                outbox.writer().write("OrderPlaced", "{\"order\":" + i + "}");
                tx.commit();
            }
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> delivered.get() >= events);
    }

    void withAttempts() throws SQLException {
        execute(ATTEMPTS);
    }

    /** A node whose last heartbeat was so long ago; the table as outbox-control-center makes it. */
    void heartbeat(String node, Duration ago) throws SQLException {
        String type = store.name().equals("postgresql") ? "TIMESTAMPTZ" : "TIMESTAMP";
        String time = java.time.LocalDateTime.now(java.time.ZoneOffset.UTC)
                .minus(ago)
                .truncatedTo(java.time.temporal.ChronoUnit.SECONDS)
                .format(java.time.format.DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss"));
        String column = type.equals("TIMESTAMPTZ") ? type : store.name().equals("h2") ? "TIMESTAMP(6)" : "DATETIME(6)";
        execute("CREATE TABLE IF NOT EXISTS outbox_node (node VARCHAR(128) PRIMARY KEY, seen_at " + column
                + " NOT NULL)");
        execute("INSERT INTO outbox_node VALUES ('" + node + "', " + type + " '" + time
                + (type.equals("TIMESTAMPTZ") ? "+00" : "") + "')");
    }

    void attempt(String eventId, Duration duration) throws SQLException {
        execute("INSERT INTO outbox_attempt VALUES ('" + Ulid.next() + "', '" + eventId
                + "', 'OrderPlaced', 1, CURRENT_TIMESTAMP, " + duration.toNanos() / 1000 + ")");
    }

    void withConsumption() throws SQLException {
        withConsumption("outbox_consumption");
    }

    void withConsumption(String table) throws SQLException {
        try (Connection conn = dataSource().getConnection()) {
            IdempotencySchema.of(store.name(), table).apply(conn);
        }
    }

    void consumption(String handler, int state) throws SQLException {
        consumption("outbox_consumption", handler, state);
    }

    void consumption(String table, String handler, int state) throws SQLException {
        execute("INSERT INTO " + table + " VALUES ('" + Ulid.next() + "', '" + handler + "', " + state
                + ", 1, CURRENT_TIMESTAMP, NULL, CURRENT_TIMESTAMP)");
    }

    static EventEnvelope event() {
        return EventEnvelope.ofJson("OrderPlaced", "{\"order\":42}");
    }

    String pending() throws SQLException {
        EventEnvelope event = event();
        try (Connection conn = dataSource().getConnection()) {
            store.insertNew(conn, event);
        }
        return event.eventId();
    }

    void pending(int events) throws SQLException {
        try (Connection conn = dataSource().getConnection()) {
            store.insertBatch(
                    conn, Stream.generate(Patient::event).limit(events).toList());
        }
    }

    String leased(String owner) throws SQLException {
        EventEnvelope event = event();
        try (Connection conn = dataSource().getConnection()) {
            store.insertLeased(conn, List.of(event), owner);
        }
        return event.eventId();
    }

    String dead() throws SQLException {
        String id = leased("node-1/a");
        settle(new Settlement.Dead(id, 1, "the receiver is gone"));
        return id;
    }

    String retrying() throws SQLException {
        String id = leased("node-1/a");
        settle(new Settlement.Retry(id, 1, Duration.ofHours(1), "the receiver is away"));
        return id;
    }

    private void settle(Settlement outcome) throws SQLException {
        try (Connection conn = dataSource().getConnection()) {
            if (!store.settle(conn, "node-1/a", List.of(outcome)).isEmpty()) {
                throw new IllegalStateException("not settled: " + outcome);
            }
        }
    }

    void execute(String... statements) throws SQLException {
        try (Connection conn = dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
