package outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.TxContext;

/**
 * Transactions for tests, one per thread, on any {@link ConnectionProvider}; the one of an {@link InMemoryOutboxStore}
 * is {@link InMemoryOutboxStore#txContext()}. Callbacks run after the thread's transaction has ended, and what they
 * throw reaches the test. Thread-safe.
 */
public final class InMemoryTxContext implements TxContext {
    private final ConnectionProvider connections;

    @SuppressWarnings("ThreadLocalUsage") // each instance has its own transactions
    private final ThreadLocal<@Nullable Tx> current = new ThreadLocal<>();

    private record Tx(
            Connection connection,
            List<Runnable> beforeCommit,
            List<Runnable> afterCommit,
            List<Runnable> afterRollback) {}

    public InMemoryTxContext(ConnectionProvider connections) {
        this.connections = Objects.requireNonNull(connections, "connections");
    }

    /** Runs {@code work} in a transaction: commits when it returns, rolls back when it throws. */
    public void inTransaction(Runnable work) {
        begin();
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            rollback();
            throw e;
        }
        commit();
    }

    public void begin() {
        if (isTransactionActive()) {
            throw new IllegalStateException("this thread is in a transaction already");
        }
        try {
            Connection connection = connections.getConnection();
            connection.setAutoCommit(false);
            current.set(new Tx(connection, new ArrayList<>(), new ArrayList<>(), new ArrayList<>()));
        } catch (SQLException e) {
            throw new IllegalStateException("no connection for a transaction", e);
        }
    }

    public void commit() {
        try {
            active().beforeCommit().forEach(Runnable::run);
        } catch (RuntimeException | Error e) {
            rollback();
            throw e;
        }
        Tx tx = end(Connection::commit);
        tx.afterCommit().forEach(Runnable::run);
    }

    public void rollback() {
        Tx tx = end(Connection::rollback);
        tx.afterRollback().forEach(Runnable::run);
    }

    /** How a transaction ends. */
    @FunctionalInterface
    private interface Ending {
        void apply(Connection connection) throws SQLException;
    }

    private Tx end(Ending ending) {
        Tx tx = active();
        current.remove();
        try (Connection connection = tx.connection()) {
            ending.apply(connection);
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            throw new IllegalStateException("the transaction could not be ended", e);
        }
        return tx;
    }

    @Override
    public boolean isTransactionActive() {
        return current.get() != null;
    }

    @Override
    public Connection currentConnection() {
        return active().connection();
    }

    @Override
    public void beforeCommit(Runnable callback) {
        active().beforeCommit().add(callback);
    }

    @Override
    public void afterCommit(Runnable callback) {
        active().afterCommit().add(callback);
    }

    @Override
    public void afterRollback(Runnable callback) {
        active().afterRollback().add(callback);
    }

    private Tx active() {
        Tx tx = current.get();
        if (tx == null) {
            throw new IllegalStateException("this thread is in no transaction: call begin() or inTransaction()");
        }
        return tx;
    }
}
