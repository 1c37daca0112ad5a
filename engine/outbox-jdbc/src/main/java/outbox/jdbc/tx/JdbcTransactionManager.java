package outbox.jdbc.tx;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.FailedTransaction;

/**
 * Transactions by hand, one per thread at a time. Thread-safe; a {@link Transaction} belongs to the thread that began
 * it.
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
     * Takes a connection, switches autocommit off and binds it to the thread.
     *
     * @throws IllegalStateException if the thread is in a transaction already; no connection is taken then
     */
    public Transaction begin() throws SQLException {
        if (txContext.isTransactionActive()) {
            throw new IllegalStateException("thread '" + Thread.currentThread().getName()
                    + "' is in a transaction already: transactions do not nest;"
                    + " commit or roll back the first one, or pass its connection on");
        }
        return begin(null);
    }

    /**
     * Begins a transaction of its own on a second connection, whatever the thread is in. That waits, and is the thread's
     * again when this one has ended and its callbacks have run.
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

    /** One transaction; not thread-safe. Committing, rolling back or closing ends it and gives the connection back. */
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
         * The connection for the business change; closing it is up to this transaction. Events written after a savepoint
         * that is set and gone back to here are not delivered; going back by a statement of SQL is not noticed.
         */
        public Connection connection() {
            requireOpen("connection");
            return watched;
        }

        /**
         * Commits, gives the connection back, and runs the afterCommit callbacks. They find the thread without a
         * transaction and may begin one. If the commit fails, the transaction is rolled back and the failure thrown; also
         * if PostgreSQL has given the transaction up because of an earlier error that somebody swallowed.
         */
        public void commit() throws SQLException {
            requireOpen("commit");
            ended = true;
            try {
                if (FailedTransaction.isOn(connection)) {
                    throw new SQLException(
                            "nothing was committed: a statement of this transaction failed earlier, and the database"
                                    + " has given the transaction up; let that exception end the transaction, or go"
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
                // Committed is committed: a connection that fails to close does not take the callbacks away.
                txContext.committed();
                txContext.resume(outer);
            }
        }

        /** Rolls back, gives the connection back, and runs the afterRollback callbacks. */
        public void rollback() throws SQLException {
            requireOpen("rollback");
            ended = true;
            try {
                connection.rollback();
            } catch (SQLException | RuntimeException | Error e) {
                closeAfter(e, connection);
                // A connection that cannot even roll back is dead, and the database rolls back for a dead client.
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

        /** Rolls back unless the transaction has ended already. */
        @Override
        public void close() throws SQLException {
            if (!ended) {
                rollback();
            }
        }

        /**
         * A connection that still rolls back shows that the commit was refused. One that does not leaves open whether
         * the database committed before it was lost: no callback would be right, and if the rows are there, the poller
         * delivers them.
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
                throw new IllegalStateException(caller + ": this transaction has ended already; begin a new one");
            }
            if (Thread.currentThread() != owner) {
                throw new IllegalStateException(caller + ": this transaction belongs to thread '" + owner.getName()
                        + "', not to '" + Thread.currentThread().getName() + "'");
            }
        }
    }
}
