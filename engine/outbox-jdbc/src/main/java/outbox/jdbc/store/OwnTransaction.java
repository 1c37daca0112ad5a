package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Optional;
import outbox.spi.UnitOfWork;

/**
 * Makes several statements one step. Where the caller is in a transaction they become part of it; where the connection
 * commits by itself they get a transaction of their own, and autocommit is restored.
 */
final class OwnTransaction {
    private static final int MAX_TRIES = 8;

    /**
     * One name for all: drivers would make up a new one each time, a new statement text to the server's statistics. Not a
     * name an application would choose: a second savepoint of one name replaces the first on most databases.
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
     * As {@link #run}; a transaction of its own that was the victim of a deadlock is tried again. One
     * that belongs to the caller is not: it is gone with all that he did in it.
     */
    static <T> T runRetrying(Connection conn, Work<T> work) throws SQLException {
        return conn.getAutoCommit() ? retry(() -> UnitOfWork.run(conn, own -> work.run())) : work.run();
    }

    /** As {@link #runRetrying}, for a single statement, which needs no transaction around it. */
    static <T> T singleRetrying(Connection conn, Work<T> statement) throws SQLException {
        return conn.getAutoCommit() ? retry(statement) : statement.run();
    }

    /**
     * As {@link #runRetrying}, at another isolation level. It is in force from the next transaction on: the one made here,
     * or the caller's if this is its first statement.
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

    /** Undoes a change of the session. */
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

    /** As {@link #run}, but if the work fails, only what it did is undone: the caller's transaction stays usable. */
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
     * Tries the quick way; if it comes back empty, takes back what it did and goes the careful one. In the caller's
     * transaction a savepoint makes that possible; it is left to the end of that transaction to release it. Tried again as
     * {@link #runRetrying} does.
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
