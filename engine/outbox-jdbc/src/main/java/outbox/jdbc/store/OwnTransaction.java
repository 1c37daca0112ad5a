package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Optional;
import outbox.spi.UnitOfWork;

/**
 * Runs several statements atomically: in the caller's transaction, or, on a connection in auto-commit mode, in a new
 * transaction, after which auto-commit is restored.
 */
final class OwnTransaction {
    private static final int MAX_TRIES = 8;

    /**
     * A fixed name: drivers would generate a new one each time, which pollutes the server's statement statistics.
     * Unlikely to be used by applications: a second savepoint of the same name replaces the first on most databases.
     */
    private static final String SAVEPOINT = "outbox_framework_step";

    private OwnTransaction() {}

    /** Statements that belong together. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws SQLException;
    }

    /** Part of the caller's transaction, or all of a new one. */
    static <T> T run(Connection conn, Work<T> work) throws SQLException {
        return conn.getAutoCommit() ? UnitOfWork.run(conn, own -> work.run()) : work.run();
    }

    /**
     * Like {@link #run}, but retries its own transaction after a deadlock. The caller's transaction cannot be retried:
     * it was rolled back with everything in it.
     */
    static <T> T runRetrying(Connection conn, Work<T> work) throws SQLException {
        return conn.getAutoCommit() ? retry(() -> UnitOfWork.run(conn, own -> work.run())) : work.run();
    }

    /** Like {@link #runRetrying}, for a single statement, which needs no transaction. */
    static <T> T singleRetrying(Connection conn, Work<T> statement) throws SQLException {
        return conn.getAutoCommit() ? retry(statement) : statement.run();
    }

    /**
     * Like {@link #runRetrying}, at another isolation level. It applies to the transaction started here, or to the
     * caller's if this is its first statement.
     *
     * @param level one of {@link Connection}'s constants, or 0 for the level of the connection
     */
    static <T> T runRetryingAt(int level, Connection conn, Work<T> work) throws SQLException {
        int before = level == 0 ? 0 : conn.getTransactionIsolation();
        if (before == level) {
            return runRetrying(conn, work);
        }
        conn.setTransactionIsolation(level);
        return restoring(() -> runRetrying(conn, work), () -> conn.setTransactionIsolation(before));
    }

    /** Restores a session setting. */
    @FunctionalInterface
    interface Restoration {
        void run() throws SQLException;
    }

    /** Runs the work, then the restoration; if both fail, the failure of the work is thrown. */
    static <T> T restoring(Work<T> work, Restoration restoration) throws SQLException {
        T result;
        try {
            result = work.run();
        } catch (SQLException | RuntimeException | Error e) {
            try {
                restoration.run();
            } catch (SQLException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        restoration.run();
        return result;
    }

    private static <T> T retry(Work<T> transaction) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return transaction.run();
            } catch (SQLException e) {
                if (tries == MAX_TRIES || !SqlErrors.isDeadlock(e)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Like {@link #run}, but if the work fails, only its own changes are undone: the caller's transaction stays usable.
     */
    static <T> T runWithSavepoint(Connection conn, Work<T> work) throws SQLException {
        if (conn.getAutoCommit()) {
            return UnitOfWork.run(conn, own -> work.run());
        }
        Savepoint savepoint = conn.setSavepoint(SAVEPOINT);
        T result;
        try {
            result = work.run();
        } catch (SQLException | RuntimeException | Error e) {
            try {
                conn.rollback(savepoint);
            } catch (SQLException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        conn.releaseSavepoint(savepoint);
        return result;
    }

    /**
     * Tries the fast variant; if it returns nothing, undoes it and runs the careful one. In the caller's transaction
     * this uses a savepoint, which is released with that transaction. Retried like {@link #runRetrying}.
     */
    static <T> T optimistic(Connection conn, Work<Optional<T>> quick, Work<T> careful) throws SQLException {
        boolean own = conn.getAutoCommit();
        return runRetrying(conn, () -> {
            Savepoint savepoint = own ? null : conn.setSavepoint(SAVEPOINT);
            Optional<T> result = quick.run();
            if (result.isPresent()) {
                return result.get();
            }
            if (savepoint == null) {
                conn.rollback();
            } else {
                conn.rollback(savepoint);
            }
            return careful.run();
        });
    }
}
