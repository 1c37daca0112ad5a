package outbox.jdbc.tx;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.FailedTransaction;

/**
 * Plain JDBC transactions, one per thread at a time. Thread-safe; a {@link Transaction} belongs to the thread that
 * began it.
 *
 * <pre>{@code
 * try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
 *     orders.insert(tx.connection(), order);
 *     writer.write("OrderPlaced", "{\"id\":42}");
 *     tx.commit();
 * } // rolls back unless committed
 * }</pre>
 */
public final class JdbcTransactionManager {
    private final ConnectionProvider connectionProvider;
    private final ThreadLocalTxContext txContext;

    public JdbcTransactionManager(ConnectionProvider connectionProvider, ThreadLocalTxContext txContext) {
        this.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
        this.txContext = Objects.requireNonNull(txContext, "txContext");
    }

    /**
     * Takes a connection, turns auto-commit off and binds it to the thread.
     *
     * @throws IllegalStateException if the thread is already in a transaction; no connection is taken then
     */
    public Transaction begin() throws SQLException {
        if (txContext.isTransactionActive()) {
            throw new IllegalStateException("thread '" + Thread.currentThread().getName()
                    + "' is already in a transaction: transactions do not nest;"
                    + " commit or roll back the first one, or pass its connection on");
        }
        return begin(null);
    }

    /**
     * Begins an independent transaction on a second connection. The thread's current transaction is suspended until
     * this one has ended and its callbacks have run.
     */
    public Transaction beginNew() throws SQLException {
        Object outer = txContext.suspend();
        try {
            return begin(outer);
        } catch (SQLException | RuntimeException | Error e) {
            txContext.resume(outer);
            throw e;
        }
    }

    private Transaction begin(@Nullable Object outer) throws SQLException {
        Connection connection = connectionProvider.getConnection();
        try {
            boolean autoCommit = connection.getAutoCommit();
            if (autoCommit) {
                connection.setAutoCommit(false);
            }
            Connection watched = SavepointWatch.over(connection, txContext);
            txContext.bind(watched);
            return new Transaction(connection, watched, autoCommit, outer);
        } catch (SQLException | RuntimeException | Error e) {
            closeAfter(e, connection);
            throw e;
        }
    }

    private static void closeAfter(Throwable failure, Connection connection) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** One transaction; not thread-safe. Committing, rolling back or closing ends it and returns the connection. */
    public final class Transaction implements AutoCloseable {
        private final Connection connection;
        private final Connection watched;
        private final boolean restoreAutoCommit;
        private final @Nullable Object outer;
        private final Thread owner = Thread.currentThread();
        private boolean ended;

        private Transaction(
                Connection connection, Connection watched, boolean restoreAutoCommit, @Nullable Object outer) {
            this.connection = connection;
            this.watched = watched;
            this.restoreAutoCommit = restoreAutoCommit;
            this.outer = outer;
        }

        /**
         * The connection for the business change; it is closed by this transaction. Events written after a savepoint of
         * this connection are not delivered if it is rolled back to that savepoint; a rollback by an SQL statement is
         * not detected.
         */
        public Connection connection() {
            requireOpen("connection");
            return watched;
        }

        /**
         * Commits, returns the connection, and runs the afterCommit callbacks, which run without a transaction and may
         * begin one. If the commit fails, the transaction is rolled back and the failure thrown; also if PostgreSQL has
         * aborted the transaction because of an earlier error that the code ignored.
         */
        public void commit() throws SQLException {
            requireOpen("commit");
            ended = true;
            try {
                if (FailedTransaction.isOn(connection)) {
                    throw new SQLException(
                            "not committed: a statement of this transaction failed earlier, and the database"
                                    + " has aborted the transaction; let that exception end the transaction, or roll"
                                    + " back to a savepoint",
                            "25P02");
                }
                txContext.committing();
                connection.commit();
            } catch (SQLException | RuntimeException | Error e) {
                rollBackAfter(e);
                throw e;
            }
            try {
                giveBack();
            } finally {
                // The commit succeeded: callbacks run even if the connection fails to close.
                txContext.committed();
                txContext.resume(outer);
            }
        }

        /** Rolls back, returns the connection, and runs the afterRollback callbacks. */
        public void rollback() throws SQLException {
            requireOpen("rollback");
            ended = true;
            try {
                connection.rollback();
            } catch (SQLException | RuntimeException | Error e) {
                closeAfter(e, connection);
                // If the connection cannot roll back it is broken, and the database rolls back for it.
                txContext.rolledBack();
                txContext.resume(outer);
                throw e;
            }
            try {
                giveBack();
            } finally {
                txContext.rolledBack();
                txContext.resume(outer);
            }
        }

        /** Rolls back unless the transaction has already ended. */
        @Override
        public void close() throws SQLException {
            if (!ended) {
                rollback();
            }
        }

        /**
         * If the connection can still roll back, the commit was rejected. If it cannot, it is unknown whether the
         * database committed: neither callback is run, and if the rows exist, the poller delivers them.
         */
        private void rollBackAfter(Throwable failure) {
            boolean rolledBack = false;
            try {
                connection.rollback();
                rolledBack = true;
                giveBack();
            } catch (SQLException | RuntimeException | Error e) {
                failure.addSuppressed(e);
                closeAfter(failure, connection);
            }
            if (rolledBack) {
                txContext.rolledBack();
            } else {
                txContext.abandoned();
            }
            txContext.resume(outer);
        }

        private void giveBack() throws SQLException {
            try (connection) {
                if (restoreAutoCommit) {
                    connection.setAutoCommit(true);
                }
            }
        }

        private void requireOpen(String caller) {
            if (ended) {
                throw new IllegalStateException(caller + ": this transaction has already ended; begin a new one");
            }
            if (Thread.currentThread() != owner) {
                throw new IllegalStateException(caller + ": this transaction belongs to thread '" + owner.getName()
                        + "', not to '" + Thread.currentThread().getName() + "'");
            }
        }
    }
}
