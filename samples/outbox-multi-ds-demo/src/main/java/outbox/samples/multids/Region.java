package outbox.samples.multids;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.h2.jdbcx.JdbcConnectionPool;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/**
 * One region: a database, its transactions, and the outbox in it. Nothing here is shared with the other region; a
 * transaction context belongs to one data source.
 */
final class Region implements AutoCloseable {
    private final String name;
    private final JdbcConnectionPool pool;
    private final JdbcTransactionManager transactions;
    private final Outbox outbox;

    Region(String name, DefaultListenerRegistry listeners) throws SQLException {
        this.name = name;
        this.pool = JdbcConnectionPool.create("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", "sa", "");
        createTables();
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        this.transactions = new JdbcTransactionManager(new DataSourceConnectionProvider(pool), txContext);
        this.outbox = JdbcOutbox.multiNode(pool)
                .transactions(txContext)
                .listeners(listeners)
                .nodeId("demo-" + name)
                .pollInterval(Duration.ofMillis(500))
                .build()
                .start();
    }

    String name() {
        return name;
    }

    private void createTables() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id INT PRIMARY KEY, customer VARCHAR(64) NOT NULL)");
            statement.execute("CREATE TABLE bonus (event_id VARCHAR(36) PRIMARY KEY, customer VARCHAR(64) NOT NULL)");
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
    }

    void place(int orderId, String customer, String eventType) throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            insert(tx.connection(), "INSERT INTO orders VALUES (?, ?)", orderId, customer);
            outbox.writer()
                    .write(EventEnvelope.builder(eventType)
                            .aggregateType("Order")
                            .aggregateId(String.valueOf(orderId))
                            .header("customer", customer)
                            .payloadJson("{\"order\":" + orderId + ",\"region\":\"" + name + "\"}")
                            .build());
            tx.commit();
        }
    }

    /** Writes into this database what an event of the other one asks for; a second delivery changes nothing. */
    boolean giveBonus(EventEnvelope event) throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            boolean isNew = insert(
                            tx.connection(),
                            "MERGE INTO bonus AS known USING (VALUES (CAST(? AS VARCHAR), CAST(? AS VARCHAR)))"
                                    + " AS given(id, who) ON known.event_id = given.id"
                                    + " WHEN NOT MATCHED THEN INSERT VALUES (given.id, given.who)",
                            event.eventId(),
                            event.headers().getOrDefault("customer", "?"))
                    == 1;
            tx.commit();
            return isNew;
        }
    }

    private static int insert(Connection connection, String sql, Object first, Object second) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, first);
            statement.setObject(2, second);
            return statement.executeUpdate();
        }
    }

    int countOrders() throws SQLException {
        return count("orders");
    }

    int countBonuses() throws SQLException {
        return count("bonus");
    }

    int countEvents(EventStatus status) throws SQLException {
        return count("outbox_event WHERE status = " + status.code());
    }

    private int count(String what) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + what)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Override
    public void close() {
        outbox.close();
        pool.dispose();
    }
}
