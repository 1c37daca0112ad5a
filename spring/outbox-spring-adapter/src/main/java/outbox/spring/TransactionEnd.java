package outbox.spring;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.spi.FailedTransaction;

/**
 * Runs one callback when a transaction commits or rolls back. Confined to the thread of the transaction.
 *
 * <h2>Why after completion, not after commit</h2>
 *
 * Spring stops calling {@code afterCommit} when one of them throws, and passes the exception to the caller of the
 * commit. {@code afterCompletion} is always called for all, and its exceptions are not propagated.
 *
 * <h2>State during the callback</h2>
 *
 * Spring cleans up after all synchronizations: during {@code afterCompletion} the connection of the finished
 * transaction is still bound to the thread, and work on it would be committed by accident or not at all. So it is
 * unbound from the thread while the callback runs, as if the transaction were suspended.
 */
final class TransactionEnd implements TransactionSynchronization {
    private static final Logger LOG = System.getLogger(TransactionEnd.class.getName());

    /** When the callback runs. */
    enum Kind {
        /** Before completion, as the last step of the transaction. */
        BEFORE_COMMIT,
        COMMIT,
        ROLLBACK
    }

    private final DataSource dataSource;
    private final Kind kind;
    private final Runnable callback;
    private final Set<Object> laterSavepoints = Collections.newSetFromMap(new IdentityHashMap<>(0));
    private boolean undone;

    TransactionEnd(DataSource dataSource, Kind kind, Runnable callback) {
        this.dataSource = dataSource;
        this.kind = kind;
        this.callback = callback;
    }

    @Override
    public void savepoint(Object savepoint) {
        laterSavepoints.add(savepoint);
    }

    /** A rollback to an earlier savepoint undoes the work that this callback belongs to. */
    @Override
    public void savepointRollback(Object savepoint) {
        if (!laterSavepoints.contains(savepoint)) {
            undone = true;
        }
    }

    /**
     * PostgreSQL would turn the commit into a rollback without Spring noticing. Not a {@code TransactionException}:
     * after one of those Spring does not roll back.
     */
    @Override
    public void beforeCommit(boolean readOnly) {
        if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && hasFailed(holder.getConnection())) {
            throw new IllegalStateException("cannot commit: a statement of this transaction failed"
                    + " earlier, and the database has aborted the transaction; let that exception end the transaction,"
                    + " or use a nested transaction for statements that may fail");
        }
        if (kind == Kind.BEFORE_COMMIT && !undone) {
            callback.run();
        }
    }

    private static boolean hasFailed(Connection connection) {
        try {
            return FailedTransaction.isOn(connection);
        } catch (SQLException e) {
            throw new IllegalStateException("the connection of the transaction is broken", e);
        }
    }

    @Override
    public void afterCompletion(int status) {
        if (endOf(status) == kind) {
            runWithoutTransaction();
        }
    }

    private @Nullable Kind endOf(int status) {
        if (undone || status == STATUS_ROLLED_BACK) {
            return Kind.ROLLBACK;
        }
        return status == STATUS_COMMITTED ? Kind.COMMIT : null;
    }

    private void runWithoutTransaction() {
        boolean wasActive = TransactionSynchronizationManager.isActualTransactionActive();
        Object finished = TransactionSynchronizationManager.unbindResourceIfPossible(dataSource);
        TransactionSynchronizationManager.setActualTransactionActive(false);
        try {
            callback.run();
        } catch (RuntimeException | Error e) {
            LOG.log(
                    Level.ERROR,
                    "callback after " + (kind == Kind.COMMIT ? "commit" : "rollback")
                            + " failed; the transaction has ended, other callbacks continue",
                    e);
        } finally {
            TransactionSynchronizationManager.setActualTransactionActive(wasActive);
            if (finished != null) {
                TransactionSynchronizationManager.bindResource(dataSource, finished);
            }
        }
    }
}
