package outbox.samples.multids;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.h2.jdbcx.JdbcConnectionPool;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.fleet.OutboxFleet;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.ListenerRegistry;

/**
 * Customers spread over shards, a database each. One fleet delivers for all of them, on a fixed number of threads. Where a
 * customer's rows are is the application's decision: here by the hash of his name, the same for reading and for writing.
 */
final class Shards implements AutoCloseable {
    private final List<Shard> shards = new ArrayList<>();
    private final OutboxFleet fleet =
            OutboxFleet.builder().workers(4).databaseThreads(2).build();

    /** A database, its transactions, and its outbox in the fleet. */
    private record Shard(String name, JdbcConnectionPool pool, JdbcTransactionManager transactions, Outbox outbox) {}

    Shards(int count, ListenerRegistry listeners) throws SQLException {
        for (int i = 0; i < count; i++) {
            shards.add(open("shard-" + i, listeners));
        }
    }

    private Shard open(String name, ListenerRegistry listeners) throws SQLException {
        JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", "sa", "");
        try (Connection connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id INT PRIMARY KEY, customer VARCHAR(64) NOT NULL)");
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        return new Shard(
                name,
                pool,
                new JdbcTransactionManager(new DataSourceConnectionProvider(pool), txContext),
                fleet.add(
                        name, JdbcOutbox.multiNode(pool).transactions(txContext).listeners(listeners)));
    }

    /** @return the name of the shard that has the order now, and its event with it */
    String place(int orderId, String customer) throws SQLException {
        Shard shard = shards.get(Math.floorMod(customer.hashCode(), shards.size()));
        try (JdbcTransactionManager.Transaction tx = shard.transactions().begin()) {
            try (PreparedStatement insert = tx.connection().prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
                insert.setInt(1, orderId);
                insert.setString(2, customer);
                insert.executeUpdate();
            }
            shard.outbox()
                    .writer()
                    .write(EventEnvelope.builder("OrderPlaced")
                            .aggregateType("Order")
                            .aggregateId(String.valueOf(orderId))
                            .tenantId(shard.name())
                            .payloadJson("{\"order\":" + orderId + "}")
                            .build());
            tx.commit();
        }
        return shard.name();
    }

    /** How many threads all outboxes together have. */
    static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-"))
                .count();
    }

    @Override
    public void close() {
        fleet.close();
        shards.forEach(shard -> shard.pool().dispose());
    }
}
