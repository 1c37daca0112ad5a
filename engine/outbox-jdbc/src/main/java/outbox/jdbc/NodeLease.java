package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.UnitOfWork;
import outbox.util.LeaseOwner;

/**
 * Elects one of several nodes for a recurring task, for longer than one transaction; see {@code
 * outbox/schema/lease.sql}. The holder increments a counter each time it renews the lease. If the counter does not
 * change for a while, another node takes the lease over: no clocks are compared. Thread-safe.
 *
 * <p>A paused node may notice late that it lost the lease. Use it for tasks that may, rarely, run twice.
 */
public final class NodeLease {
    public static final String TABLE = "outbox_lease";

    private static final String RENEW = "UPDATE " + TABLE + " SET beat = beat + 1 WHERE name = ? AND owner = ?";
    private static final String READ = "SELECT owner, beat FROM " + TABLE + " WHERE name = ?";
    private static final String INSERT = "INSERT INTO " + TABLE + " (name, owner, beat) VALUES (?, ?, 1)";
    private static final String TAKE_OVER =
            "UPDATE " + TABLE + " SET owner = ?, beat = beat + 1 WHERE name = ? AND owner = ? AND beat = ?";
    private static final String RELEASE = "DELETE FROM " + TABLE + " WHERE name = ? AND owner = ?";

    private final ConnectionProvider connections;
    private final String name;
    private final String self;
    private final LongSupplier nanos;
    private @Nullable Held last; // guarded by this
    private long lastChange; // guarded by this

    /** The stored holder. */
    private record Held(String owner, long beat) {}

    /** @param name of the task; nodes that use the same name compete for it */
    public NodeLease(ConnectionProvider connections, String name) {
        this(connections, name, LeaseOwner.incarnationOf(LeaseOwner.defaultNodeId()), System::nanoTime);
    }

    NodeLease(ConnectionProvider connections, String name, String self, LongSupplier nanos) {
        this.connections = Objects.requireNonNull(connections, "connections");
        this.name = Objects.requireNonNull(name, "name");
        this.self = Objects.requireNonNull(self, "self");
        this.nanos = nanos;
    }

    /**
     * Renews the lease, or takes it if it is free or its holder stopped renewing it.
     *
     * @param patience how long after the last renewal another node takes over; longer than the time between two calls
     * @return whether this node holds it now
     */
    public synchronized boolean hold(Duration patience) throws SQLException {
        try {
            // auto-commit: InnoDB would otherwise keep the gap of a missing row locked, and nodes would deadlock
            return UnitOfWork.single(UnitOfWork.bounded(connections, patience), conn -> hold(conn, patience));
        } catch (SQLException e) {
            if (e.getSQLState() != null && e.getSQLState().startsWith("23")) {
                return false; // another node inserted the row concurrently
            }
            throw e;
        }
    }

    private boolean hold(Connection conn, Duration patience) throws SQLException {
        int renewed = JdbcTemplate.update(conn, RENEW, statement -> {
            statement.setString(1, name);
            statement.setString(2, self);
        });
        if (renewed > 0) {
            return true;
        }
        List<Held> rows = JdbcTemplate.query(
                conn,
                READ,
                statement -> statement.setString(1, name),
                row -> new Held(row.getString(1), row.getLong(2)));
        if (rows.isEmpty()) {
            return JdbcTemplate.update(conn, INSERT, statement -> {
                        statement.setString(1, name);
                        statement.setString(2, self);
                    })
                    > 0;
        }
        Held held = rows.get(0);
        if (!held.equals(last)) {
            last = held;
            lastChange = nanos.getAsLong();
            return false;
        }
        return nanos.getAsLong() - lastChange >= patience.toNanos() && takeOver(conn, held);
    }

    private boolean takeOver(Connection conn, Held from) throws SQLException {
        return JdbcTemplate.update(conn, TAKE_OVER, statement -> {
                    statement.setString(1, self);
                    statement.setString(2, name);
                    statement.setString(3, from.owner());
                    statement.setLong(4, from.beat());
                })
                > 0;
    }

    /** Releases the lease; does nothing if this node does not hold it. */
    public void release() throws SQLException {
        UnitOfWork.run(
                connections,
                conn -> JdbcTemplate.update(conn, RELEASE, statement -> {
                    statement.setString(1, name);
                    statement.setString(2, self);
                }));
    }
}
