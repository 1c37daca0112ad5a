package outbox.idempotency;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import outbox.OutboxWriter;
import outbox.domain.TransactionRunner;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.publish.TransactionalEventPublisher;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcIdempotencyRecords;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.JdbcTemplate.Binder;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.ConnectionProvider;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** A fresh database with the outbox, the tables of this module, a business table and all that works on them. */
public final class Database implements AutoCloseable {
    private final String serverName;
    public final TestDatabase database;
    public final HikariDataSource dataSource;
    public final ConnectionProvider connections;
    public final ThreadLocalTxContext tx = new ThreadLocalTxContext();
    public final TransactionRunner transactions;
    public final AbstractJdbcOutboxStore store;
    public final JdbcEventConsumptionTracker tracker;
    public final JdbcIdempotencyRecords records;
    public final PayloadSerializer serializer = PayloadSerializers.detect();
    public final TransactionalEventPublisher publisher;

    public Database(DatabaseServer server, int poolSize) {
        this.serverName = server.name();
        this.database = server.freshDatabase();
        HikariConfig config = new HikariConfig();
        // Whoever waits for a lock in H2 fails after two seconds otherwise, and so long may its holder be held up.
        config.setJdbcUrl(database.jdbcUrl() + (server.name().equals("h2") ? ";LOCK_TIMEOUT=60000" : ""));
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(poolSize);
        config.setMinimumIdle(1);
        this.dataSource = new HikariDataSource(config);
        this.connections = new DataSourceConnectionProvider(dataSource);
        this.transactions = new JdbcTransactionRunner(new JdbcTransactionManager(connections, tx), tx);
        this.store = JdbcOutboxStores.detect(database.jdbcUrl());
        this.tracker = new JdbcEventConsumptionTracker(server.name(), connections, tx);
        this.records = new JdbcIdempotencyRecords(server.name(), connections, tx);
        this.publisher = new TransactionalEventPublisher(
                new OutboxWriter(tx, store),
                tx,
                new EventEnvelopes(EventTypes.builder().build(), serializer));
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            store.schema().apply(conn);
            IdempotencySchema.of(server.name()).apply(conn);
            statement.execute("CREATE TABLE effect (name VARCHAR(64) NOT NULL)");
        } catch (SQLException e) {
            throw new IllegalStateException("no tables on " + server, e);
        }
    }

    /** Business code: writes a row in the current transaction. */
    public void effect(String name) throws SQLException {
        JdbcTemplate.update(
                tx.currentConnection(), "INSERT INTO effect (name) VALUES (?)", row -> row.setString(1, name));
    }

    /** Records on connections that do something else before the first statement with these words. */
    JdbcIdempotencyRecords recordsThat(String words, Runnable before) {
        AtomicBoolean done = new AtomicBoolean();
        ConnectionProvider watched = () -> {
            Connection connection = connections.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    Database.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                        if (method.getName().equals("prepareStatement")
                                && ((String) args[0]).contains(words)
                                && done.compareAndSet(false, true)) {
                            before.run();
                        }
                        try {
                            return method.invoke(connection, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        };
        return new JdbcIdempotencyRecords(serverName, watched, tx);
    }

    /** All committed business rows. */
    public List<String> effects() throws SQLException {
        return query("SELECT name FROM effect ORDER BY name");
    }

    /** The first column of a query. */
    public List<String> query(String sql) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return JdbcTemplate.query(conn, sql, Binder.NOTHING, row -> row.getString(1));
        }
    }

    public int update(String sql) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return JdbcTemplate.update(conn, sql, Binder.NOTHING);
        }
    }

    @Override
    public void close() {
        dataSource.close();
        database.drop();
    }
}
