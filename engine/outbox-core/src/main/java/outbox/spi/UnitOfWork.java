package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One short transaction of the engine's own: committed if the work returns, rolled back if it throws. */
public final class UnitOfWork {
    /** Shortest limit of {@link #bounded}: short leases do not make a database fast. */
    private static final Duration SHORTEST_LIMIT = Duration.ofSeconds(10);

    private UnitOfWork() {}

    /**
     * Connections for a part of the engine that holds leases. Unless they have a limit of their own, it waits for an
     * answer at most as long as a lease, or ten seconds if that is more: the answer to a claim or a renewal is of no use
     * later.
     */
    public static ConnectionProvider bounded(ConnectionProvider connections, Duration leaseTime) {
        return connections.networkTimeout().isZero()
                ? connections.withNetworkTimeout(leaseTime.compareTo(SHORTEST_LIMIT) > 0 ? leaseTime : SHORTEST_LIMIT)
                : connections;
    }

    /** What happens inside the transaction. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T on(Connection conn) throws SQLException;
    }

    /** Runs {@code work} on a fresh connection, whatever auto-commit mode the pool hands out, and closes it. */
    public static <T extends @Nullable Object> T run(ConnectionProvider connections, Work<T> work) throws SQLException {
        try (Connection conn = connections.getConnection()) {
            NetworkTimeout limit = NetworkTimeout.on(conn, connections.networkTimeout());
            try {
                return run(conn, work);
            } finally {
                limit.end();
            }
        }
    }

    /** Runs {@code work} on a connection without a transaction under way, and does not close it. */
    public static <T extends @Nullable Object> T run(Connection conn, Work<T> work) throws SQLException {
        boolean autoCommit = conn.getAutoCommit();
        if (autoCommit) {
            conn.setAutoCommit(false);
        }
        try {
            T result = work.on(conn);
            conn.commit();
            if (autoCommit) {
                conn.setAutoCommit(true);
            }
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            abandon(conn, autoCommit, e);
            throw e;
        }
    }

    /**
     * Runs a single call of a store, which is a transaction by itself on a connection in auto-commit mode: fewer trips
     * to the database, and a store may try again what a deadlock undid.
     */
    public static <T extends @Nullable Object> T single(ConnectionProvider connections, Work<T> work)
            throws SQLException {
        try (Connection conn = connections.getConnection()) {
            NetworkTimeout limit = NetworkTimeout.on(conn, connections.networkTimeout());
            try {
                return single(conn, work);
            } finally {
                limit.end();
            }
        }
    }

    private static <T extends @Nullable Object> T single(Connection conn, Work<T> work) throws SQLException {
        if (conn.getAutoCommit()) {
            return work.on(conn);
        }
        conn.setAutoCommit(true);
        T result;
        try {
            result = work.on(conn);
        } catch (SQLException | RuntimeException | Error e) {
            restore(conn, e);
            throw e;
        }
        conn.setAutoCommit(false);
        return result;
    }

    /** On a connection that broke this fails too, which must not hide why it broke. */
    private static void restore(Connection conn, Throwable failure) {
        try {
            conn.setAutoCommit(false);
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    private static void abandon(Connection conn, boolean autoCommit, Throwable failure) {
        try {
            conn.rollback();
            if (autoCommit) {
                conn.setAutoCommit(true);
            }
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }
}
