package outbox.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.spi.TxContext;

/**
 * The Spring transaction of the current thread, started by {@code @Transactional} or a {@code TransactionTemplate}.
 * Works with every transaction manager that binds a JDBC connection of the data source: JDBC, and JPA and Hibernate if
 * they know the data source. For JTA see the second constructor. Thread-safe: each thread sees only its own
 * transaction.
 *
 * <pre>{@code
 * Outbox outbox = JdbcOutbox.multiNode(dataSource)
 *     .transactions(new SpringTxContext(dataSource))
 *     ...
 * }</pre>
 *
 * <p>Guarantees in addition to {@link TxContext}:
 *
 * <ul>
 *   <li>A transaction on another data source does not count: an event would not commit with it.
 *   <li>Events cannot be written in a read-only transaction.
 *   <li>Work in a savepoint ({@code NESTED}) that is rolled back counts as rolled back, even if the outer transaction
 *       commits. The callbacks run when the outer transaction ends.
 *   <li>Callbacks run without a transaction on this data source and may begin one. Their exceptions are logged and
 *       affect neither the caller nor other callbacks.
 *   <li>If PostgreSQL has aborted a transaction because of an error that the code ignored, the commit throws; Spring
 *       alone would report success.
 *   <li>If the outcome of a commit is unknown, neither kind of callback runs. If the rows exist, the poller delivers
 *       them.
 * </ul>
 */
public final class SpringTxContext implements TxContext {
    private final DataSource dataSource;
    private final BooleanSupplier inJtaTransaction;

    /** @param dataSource the data source of the transaction manager */
    public SpringTxContext(DataSource dataSource) {
        this(dataSource, () -> false);
    }

    /**
     * For applications with JTA transactions. These span every enlisted data source and bind a connection with the
     * first statement, which may be the insert of an event. A connection in auto-commit mode is rejected, because its
     * data source is not enlisted.
     *
     * @param inJtaTransaction whether the calling thread is in an active JTA transaction
     */
    public SpringTxContext(DataSource dataSource, BooleanSupplier inJtaTransaction) {
        Objects.requireNonNull(dataSource, "dataSource");
        this.dataSource = target(dataSource);
        this.inJtaTransaction = Objects.requireNonNull(inJtaTransaction, "inJtaTransaction");
    }

    /** Unwraps proxies, as transaction managers do. */
    private static DataSource target(DataSource dataSource) {
        if (dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            return proxy.getTargetDataSource();
        }
        return dataSource;
    }

    @Override
    public boolean isTransactionActive() {
        return isAccepting() && boundConnection() != null;
    }

    /**
     * @throws IllegalStateException if no transaction is active on this data source, or it is read-only; the message
     *     says which
     */
    @Override
    public Connection currentConnection() {
        Connection connection = requireActive("currentConnection");
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException(
                    transactionName() + " is read-only: it cannot contain the change that an event"
                            + " describes; write the event in a transaction without readOnly");
        }
        return connection;
    }

    @Override
    public void beforeCommit(Runnable callback) {
        register("beforeCommit", callback, TransactionEnd.Kind.BEFORE_COMMIT);
    }

    @Override
    public void afterCommit(Runnable callback) {
        register("afterCommit", callback, TransactionEnd.Kind.COMMIT);
    }

    @Override
    public void afterRollback(Runnable callback) {
        register("afterRollback", callback, TransactionEnd.Kind.ROLLBACK);
    }

    private void register(String caller, Runnable callback, TransactionEnd.Kind kind) {
        Objects.requireNonNull(callback, "callback");
        requireActive(caller);
        TransactionSynchronizationManager.registerSynchronization(new TransactionEnd(dataSource, kind, callback));
    }

    private Connection requireActive(String caller) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException("no transaction is active on thread '"
                    + Thread.currentThread().getName() + "': " + caller
                    + " needs one; put @Transactional on the method that makes the change, or use a"
                    + " TransactionTemplate");
        }
        if (!isAccepting()) {
            throw new IllegalStateException(transactionName() + " has ended or accepts no callbacks: " + caller
                    + " needs an active one; code that runs after commit must begin its own, with REQUIRES_NEW");
        }
        Connection connection = boundConnection();
        if (connection == null) {
            throw new IllegalStateException(transactionName() + " does not span the data source of this outbox ("
                    + dataSource + "): " + caller + " would not be part of it; use the transaction manager of that"
                    + " data source");
        }
        return connection;
    }

    /** A completed transaction is still visible for a while, but accepts no callbacks. */
    private static boolean isAccepting() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /**
     * The connection bound by the transaction manager, or {@code null}. A connection in auto-commit mode belongs to the
     * transaction of another data source: each statement on it commits on its own.
     */
    private @Nullable Connection boundConnection() {
        Object resource = TransactionSynchronizationManager.getResource(dataSource);
        if (resource == null && inJtaTransaction.getAsBoolean()) {
            // Releasing it keeps it bound to the transaction, as after any statement of a JdbcTemplate.
            DataSourceUtils.releaseConnection(DataSourceUtils.getConnection(dataSource), dataSource);
            resource = TransactionSynchronizationManager.getResource(dataSource);
        }
        if (!(resource instanceof ConnectionHolder holder) || holder.getConnectionHandle() == null) {
            return null;
        }
        Connection connection = holder.getConnection();
        try {
            return connection.getAutoCommit() ? null : connection;
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "the connection of " + transactionName() + " is broken: " + e.getMessage(), e);
        }
    }

    private static String transactionName() {
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        return name == null ? "the transaction" : "transaction '" + name + "'";
    }
}
