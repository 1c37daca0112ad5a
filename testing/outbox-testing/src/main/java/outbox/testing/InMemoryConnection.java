package outbox.testing;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection with transactions but without SQL. A rollback undoes its changes, and its inserts are visible to others
 * only after the commit. It supports the calls of transaction managers and the engine; preparing a statement fails with
 * an explanation.
 */
final class InMemoryConnection {
    private final Object lock;
    private final Connection proxy;
    private boolean autoCommit = true;
    private boolean closed;
    private final List<Runnable> onCommit = new ArrayList<>();
    private final List<Runnable> onRollback = new ArrayList<>();

    InMemoryConnection(Object lock) {
        this.lock = lock;
        this.proxy = (Connection) Proxy.newProxyInstance(
                InMemoryConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this::invoke);
    }

    Connection proxy() {
        return proxy;
    }

    /** Also finds it behind wrappers, as far as they unwrap. */
    static InMemoryConnection of(Connection connection) {
        try {
            return connection.unwrap(Holder.class).connection();
        } catch (SQLException e) {
            throw new IllegalArgumentException(
                    "not a connection of an InMemoryOutboxStore: "
                            + connection.getClass().getName() + "; take one from its connectionProvider()",
                    e);
        }
    }

    /** What {@code unwrap} gives away. */
    record Holder(InMemoryConnection connection) {}

    /** Registers how to make a change final and how to take it back; final at once where there is no transaction. */
    void changed(Runnable commit, Runnable rollback) {
        if (autoCommit) {
            commit.run();
        } else {
            onCommit.add(commit);
            onRollback.add(rollback);
        }
    }

    private @Nullable Object invoke(Object self, Method method, Object[] args) throws SQLException {
        String name = method.getName();
        synchronized (lock) {
            return switch (name) {
                case "toString" -> "InMemoryConnection[autoCommit=" + autoCommit + ", closed=" + closed + "]";
                case "hashCode" -> System.identityHashCode(self);
                case "equals" -> self == args[0];
                case "isClosed" -> closed;
                case "isValid" -> !closed;
                case "close" -> close();
                default -> {
                    requireOpen(name);
                    yield invokeOpen(name, args);
                }
            };
        }
    }

    private @Nullable Object invokeOpen(String name, Object[] args) throws SQLException {
        return switch (name) {
            case "getAutoCommit" -> autoCommit;
            case "setAutoCommit" -> setAutoCommit((Boolean) args[0]);
            case "commit" -> {
                requireTransaction(name);
                yield commit();
            }
            case "rollback" -> {
                requireTransaction(name);
                yield rollback();
            }
            case "unwrap" -> new Holder(this);
            case "isWrapperFor" -> args[0] == Holder.class;
            case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
            case "setTransactionIsolation", "setReadOnly", "setNetworkTimeout", "clearWarnings" -> null;
            case "isReadOnly" -> false;
            default ->
                throw new UnsupportedOperationException(
                        "Connection." + name + ": an in-memory connection runs no SQL; use H2 for tests that need it");
        };
    }

    private @Nullable Object close() {
        if (!closed) {
            rollback();
            closed = true;
        }
        return null;
    }

    private @Nullable Object setAutoCommit(boolean wanted) {
        if (wanted && !autoCommit) {
            commit();
        }
        autoCommit = wanted;
        return null;
    }

    private @Nullable Object commit() {
        onRollback.clear();
        onCommit.forEach(Runnable::run);
        onCommit.clear();
        return null;
    }

    private @Nullable Object rollback() {
        onCommit.clear();
        for (int i = onRollback.size() - 1; i >= 0; i--) {
            onRollback.get(i).run();
        }
        onRollback.clear();
        return null;
    }

    private void requireOpen(String call) throws SQLException {
        if (closed) {
            throw new SQLException("Connection." + call + ": the connection is closed", "08003");
        }
    }

    private void requireTransaction(String call) throws SQLException {
        if (autoCommit) {
            throw new SQLException("Connection." + call + ": autocommit is on, there is no transaction", "25000");
        }
    }
}
