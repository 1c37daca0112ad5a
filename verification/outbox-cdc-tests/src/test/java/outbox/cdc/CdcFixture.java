package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Outbox;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.EventSeal;
import outbox.testing.server.ServerOptions;
import outbox.testing.server.TestDatabase;

/** A database with the outbox table and those of a relay, a writer that only writes, and what came out at the end. */
final class CdcFixture implements AutoCloseable {
    private static final int NO_SUCH_SESSION = 1094;
    static final Duration LIMIT = Duration.ofSeconds(60);

    final TestDatabase database;
    final DataSource dataSource;
    final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    final JdbcTransactionManager transactions;
    final List<EventEnvelope> taken = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> toClose = new CopyOnWriteArrayList<>();
    private final AbstractJdbcOutboxStore store;
    private Outbox writer;

    CdcFixture(TestDatabase database) throws SQLException {
        this.database = database;
        this.dataSource = database.dataSource();
        this.store = JdbcOutboxStores.detect(dataSource);
        try (Connection conn = dataSource.getConnection()) {
            store.schema().apply(conn);
            CdcSchema.of(store.name()).apply(conn);
        }
        this.transactions = new JdbcTransactionManager(dataSource::getConnection, txContext);
        writer(EventSeal.NONE);
    }

    void writer(EventSeal seal) {
        writer = JdbcOutbox.writerOnly(dataSource)
                .transactions(txContext)
                .seal(seal)
                .build()
                .start();
    }

    /** Adds the column that ordered delivery needs. */
    void makeOrdered() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            store.orderedSchema().apply(conn);
        }
    }

    /** A node that delivers from the table, in order, to {@link #taken}. */
    Outbox poller() {
        Outbox poller = JdbcOutbox.multiNode(dataSource)
                .listeners((aggregateType, eventType) -> taken::add)
                .ordered()
                .pollInterval(Duration.ofMillis(50))
                .build()
                .start();
        toClose.add(poller);
        return poller;
    }

    /** Short times, and everything goes to {@link #taken}. */
    CdcRelayBuilder relay() {
        return relay(taken::add);
    }

    CdcRelayBuilder relay(EventListener listener) {
        return relayAt(database.jdbcUrl(), listener);
    }

    CdcRelayBuilder relayAt(String jdbcUrl, EventListener listener) {
        return CdcRelay.reading(jdbcUrl, database.username(), database.password())
                .name(name())
                .listeners((aggregateType, eventType) -> listener)
                .retryPolicy(attempts -> 20)
                .heartbeat(Duration.ofMillis(300))
                .watchInterval(Duration.ofMillis(200))
                .retryInterval(Duration.ofMillis(300));
    }

    /** Slots belong to the server: databases of several tests must not share a name. */
    String name() {
        return "cdc_"
                + database.name().substring(0, Math.min(30, database.name().length()));
    }

    CdcRelay start(CdcRelayBuilder relay) {
        CdcRelay built = relay.build();
        toClose.add(built);
        return built.start();
    }

    static EventEnvelope event(String key, int number) {
        return EventEnvelope.builder("Changed")
                .aggregateType("Order")
                .aggregateId(key)
                .payloadJson("{\"n\":" + number + "}")
                .build();
    }

    static int numberOf(EventEnvelope event) {
        return Integer.parseInt(event.payloadJson().replaceAll("[^0-9]", ""));
    }

    /** What MySQL and MariaDB are started with. */
    static ServerOptions withRowsInTheLog() {
        return ServerOptions.defaults()
                .with("server-id", "1")
                .with("log-bin", "binlog")
                .with("binlog-format", "ROW");
    }

    void write(EventEnvelope... events) {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            writer.writer().writeAll(List.of(events));
            tx.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void execute(String... statements) {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    String query(String sql) {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement();
                var rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void insert(Connection conn, EventEnvelope event) {
        store.insertNew(conn, event);
    }

    boolean isPostgres() {
        return store.name().equals("postgresql");
    }

    String textOfPayload() {
        return isPostgres() ? "payload::text" : "payload";
    }

    /** Something that makes the log longer, and is no event. */
    String[] fillTheLog() {
        return new String[] {
            "CREATE TABLE filler (n INT, t TEXT)",
            isPostgres()
                    ? "INSERT INTO filler SELECT n, repeat(md5(n::text), 100) FROM generate_series(1, 1000) n"
                    : "INSERT INTO filler VALUES (1, REPEAT('x', 60000))"
        };
    }

    /** What an operator does who needs the disk. A binlog stays as long as the server believes that somebody reads it. */
    void loseTheLog() {
        if (isPostgres()) { // whose server may need a moment to notice that its reader has gone
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThatNoException()
                            .isThrownBy(() -> execute("SELECT pg_drop_replication_slot('" + name() + "')")));
            return;
        }
        String readBefore = query("SHOW BINARY LOGS");
        execute("FLUSH BINARY LOGS");
        await().atMost(LIMIT).until(() -> {
            execute("PURGE BINARY LOGS BEFORE DATE_ADD(NOW(), INTERVAL 1 DAY)");
            return !readBefore.equals(query("SHOW BINARY LOGS"));
        });
    }

    /** Ends every session of this database but the one that does it. */
    void killSessions() {
        if (isPostgres()) {
            execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
            return;
        }
        String others = query("SELECT GROUP_CONCAT(id) FROM information_schema.processlist"
                + " WHERE id <> CONNECTION_ID() AND command IN ('Sleep', 'Query', 'Binlog Dump', 'Binlog Dump GTID')");
        for (String id : others.split(",")) {
            kill(id);
        }
    }

    private void kill(String session) {
        try {
            execute("KILL " + session);
        } catch (IllegalStateException e) {
            boolean endedByItself =
                    e.getCause() instanceof SQLException cause && cause.getErrorCode() == NO_SUCH_SESSION;
            if (!endedByItself) {
                throw e;
            }
        }
    }

    /** One who may do everything. */
    void createUser(String user, String password) {
        if (isPostgres()) {
            execute("CREATE ROLE " + named(user) + " SUPERUSER LOGIN PASSWORD '" + password.replace("'", "''") + "'");
        } else {
            execute(
                    "CREATE USER " + named(user) + " IDENTIFIED BY '"
                            + password.replace("\\", "\\\\").replace("'", "''") + "'",
                    "GRANT ALL PRIVILEGES ON *.* TO " + named(user));
        }
    }

    void dropUser(String user) {
        execute((isPostgres() ? "DROP OWNED BY " + named(user) + "; DROP ROLE " : "DROP USER ") + named(user));
    }

    private String named(String user) {
        return isPostgres()
                ? '"' + user.replace("\"", "\"\"") + '"'
                : "'" + user.replace("\\", "\\\\").replace("'", "''") + "'@'%'";
    }

    void restoreTables() {
        try (Connection conn = dataSource.getConnection()) {
            CdcSchema.of(store.name()).statements().stream()
                    .filter(sql -> sql.contains("outbox_cdc_offset"))
                    .forEach(this::execute);
            store.schema().apply(conn);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    List<Integer> numbersOf(String key) {
        return taken.stream()
                .filter(event -> key.equals(event.aggregateId()))
                .map(CdcFixture::numberOf)
                .toList();
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }
}
