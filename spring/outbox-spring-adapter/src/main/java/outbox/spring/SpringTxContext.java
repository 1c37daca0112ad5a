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
 * The Spring transaction of the current thread, as {@code @Transactional} or a {@code TransactionTemplate} began it.
 * Works with every transaction manager that binds a JDBC connection for the data source: that of JDBC, and those of JPA
 * and Hibernate if they know the data source. JTA binds none; see the second constructor. Thread-safe: each thread sees
 * only its own transaction.
 *
 * <pre>{@code
 * Outbox outbox = JdbcOutbox.multiNode(dataSource)
 *     .transactions(new SpringTxContext(dataSource))
 *     ...
 * }</pre>
 *
 * <p>What it promises beyond {@link TxContext}:
 *
 * <ul>
 *   <li>A transaction that does not span this data source does not count: an event would not commit with it.
 *   <li>A read-only transaction has no connection for events.
 *   <li>Work in a savepoint ({@code NESTED}) that is rolled back counts as rolled back, even if the transaction around
 *       it commits. The callbacks run when that one ends.
 *   <li>Callbacks find the thread without a transaction on this data source and may begin one. What they throw is
 *       logged and reaches neither the caller nor other callbacks.
 *   <li>A transaction that PostgreSQL has given up because of an error that somebody swallowed cannot be committed: the
 *       commit throws, where Spring alone would believe in it.
 *   <li>If nobody can tell whether a commit took place, neither kind of callback runs. Should the rows exist, the
 *       poller delivers them.
 * </ul>
 */
public final class SpringTxContext implements TxContext {
    private final DataSource dataSource;
    private final BooleanSupplier inJtaTransaction;

    /** @param dataSource the one the transaction manager works on */
    public SpringTxContext(DataSource dataSource) {
        this(dataSource, () -> false);
    }

    /**
     * For applications with JTA transactions. These span every data source that takes part in them, and bind a connection
     * only when the first statement asks for one: here an event may be that first statement. A connection in auto-commit
     * mode is refused, because its data source does not take part.
     *
     * @param inJtaTransaction whether the calling thread is in an active JTA transaction
     */
    public SpringTxContext(DataSource dataSource, BooleanSupplier inJtaTransaction) {
        Objects.requireNonNull(dataSource, "dataSource");
        this.dataSource = target(dataSource);
        this.inJtaTransaction = Objects.requireNonNull(inJtaTransaction, "inJtaTransaction");
    }

    /** As transaction managers do: they bind the connection to what is behind such a proxy. */
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
            throw new IllegalStateException(transactionName() + " is read-only: it cannot hold the change an event"
                    + " tells of; write the event in a transaction without readOnly");
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
            throw new IllegalStateException(transactionName() + " is over or takes no callbacks: " + caller
                    + " needs a running one; code that runs after commit begins its own, with REQUIRES_NEW");
        }
        Connection connection = boundConnection();
        if (connection == null) {
            throw new IllegalStateException(transactionName() + " does not span the data source of this outbox ("
                    + dataSource + "): " + caller + " would not be part of it; use the transaction manager of that"
                    + " data source");
        }
        return connection;
    }

    /** After its end a transaction is still visible for a while, but takes no more callbacks. */
    private static boolean isAccepting() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /**
     * The connection the transaction manager has bound, or {@code null}. One in auto-commit mode only came along with
     * the transaction of another data source: each statement on it is a transaction of its own.
     */
    private @Nullable Connection boundConnection() {
        Object resource = TransactionSynchronizationManager.getResource(dataSource);
        if (resource == null && inJtaTransaction.getAsBoolean()) {
            // Stays bound to the transaction when it is released, as after any statement of a JdbcTemplate.
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
