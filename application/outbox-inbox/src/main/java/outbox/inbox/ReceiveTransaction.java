package outbox.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.spi.DuplicateEventException;
import outbox.spi.TxContext;

/** Where rows are inserted: all that one call inserts, or none of it. A duplicate leaves it usable. Thread-safe. */
interface ReceiveTransaction {
    /** Inserts on a connection. */
    @FunctionalInterface
    interface Work {
        void run(Connection connection) throws SQLException;
    }

    /**
     * @return {@code false} if the work met a row that was there already; nothing was changed
     * @throws IllegalArgumentException of the work; nothing was changed
     * @throws OutboxStoreException if the database fails
     */
    boolean insert(Work work);

    /** A transaction for each call, committed when it returns. Victims of a deadlock are run again. */
    record Own(JdbcTransactionManager transactions) implements ReceiveTransaction {
        private static final int RUNS = 5;

        @Override
        public boolean insert(Work work) {
            for (int run = 1; ; run++) {
                try (JdbcTransactionManager.Transaction transaction = transactions.beginNew()) {
                    work.run(transaction.connection());
                    transaction.commit();
                    return true;
                } catch (DuplicateEventException e) {
                    return false;
                } catch (SQLException e) {
                    if (run == RUNS || !isRolledBack(e)) {
                        throw new OutboxStoreException("cannot store received messages; do not acknowledge them", e);
                    }
                } catch (OutboxStoreException e) {
                    if (run == RUNS || !isRolledBack(e)) {
                        throw e;
                    }
                }
            }
        }

        /** Two nodes receive the same messages in a different order, for instance. */
        private static boolean isRolledBack(Throwable failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof SQLException sql
                        && sql.getSQLState() != null
                        && sql.getSQLState().startsWith("40")) {
                    return true;
                }
            }
            return false;
        }
    }

    /** The transaction of the caller. After a duplicate, PostgreSQL goes on only from a savepoint. */
    record Joined(TxContext context) implements ReceiveTransaction {
        @Override
        public boolean insert(Work work) {
            Connection connection = context.currentConnection();
            try {
                Savepoint before = connection.setSavepoint();
                try {
                    work.run(connection);
                } catch (DuplicateEventException e) {
                    connection.rollback(before);
                    return false;
                } catch (IllegalArgumentException refused) {
                    connection.rollback(before);
                    throw refused;
                }
                connection.releaseSavepoint(before);
                return true;
            } catch (SQLException e) {
                throw new OutboxStoreException("cannot store received messages in the caller's transaction", e);
            }
        }
    }
}
