package outbox.jdbc.tx;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.spi.TxContext;

/**
 * The transaction of the current thread. {@link JdbcTransactionManager} binds it; code that manages its own
 * transactions calls {@link #bind}, {@link #committing}, {@link #committed} and {@link #rolledBack} instead.
 * Thread-safe: each thread sees only its own transaction.
 */
public final class ThreadLocalTxContext implements TxContext {
    private static final Logger LOG = System.getLogger(ThreadLocalTxContext.class.getName());

    @SuppressWarnings("ThreadLocalUsage") // each instance has its own transactions
    private final ThreadLocal<@Nullable Bound> current = new ThreadLocal<>();

    /** A connection in a transaction, and its callbacks. */
    private static final class Bound {
        private final Connection connection;
        private final List<Runnable> beforeCommit = new ArrayList<>();
        private final List<Runnable> afterCommit = new ArrayList<>();
        private final List<Runnable> afterRollback = new ArrayList<>();
        private final List<Runnable> undone =
                new ArrayList<>(0); // afterRollback callbacks of work undone by a savepoint
        private final IdentityHashMap<Savepoint, Mark> savepoints = new IdentityHashMap<>(0);

        private Bound(Connection connection) {
            this.connection = connection;
        }
    }

    /** Number of callbacks of each kind when a savepoint was set. */
    private record Mark(int beforeCommit, int afterCommit, int afterRollback) {}

    @Override
    public boolean isTransactionActive() {
        return current.get() != null;
    }

    @Override
    public Connection currentConnection() {
        return bound("currentConnection").connection;
    }

    @Override
    public void beforeCommit(Runnable callback) {
        bound("beforeCommit").beforeCommit.add(Objects.requireNonNull(callback, "callback"));
    }

    @Override
    public void afterCommit(Runnable callback) {
        bound("afterCommit").afterCommit.add(Objects.requireNonNull(callback, "callback"));
    }

    @Override
    public void afterRollback(Runnable callback) {
        bound("afterRollback").afterRollback.add(Objects.requireNonNull(callback, "callback"));
    }

    /**
     * Makes this connection's transaction the one of the current thread.
     *
     * @throws IllegalStateException if the thread is already in a transaction
     */
    public void bind(Connection connection) {
        Objects.requireNonNull(connection, "connection");
        if (current.get() != null) {
            throw new IllegalStateException("thread '" + Thread.currentThread().getName()
                    + "' is already in a transaction: transactions do not nest;"
                    + " commit or roll back the first one, or pass its connection on");
        }
        current.set(new Bound(connection));
    }

    /**
     * The transaction is about to commit: runs the beforeCommit callbacks in the transaction, in the order they were
     * registered. Exceptions are propagated; the caller must roll back then.
     */
    public void committing() {
        for (Runnable callback : List.copyOf(bound("committing").beforeCommit)) {
            callback.run();
        }
    }

    /**
     * The transaction has committed: unbinds it, then runs the callbacks in the order they were registered. Exceptions
     * are logged and do not stop the others.
     */
    public void committed() {
        Bound ended = unbind("committed");
        run(ended.undone, "afterRollback");
        run(ended.afterCommit, "afterCommit");
    }

    /** The transaction has rolled back; otherwise like {@link #committed}. */
    public void rolledBack() {
        Bound ended = unbind("rolledBack");
        run(ended.undone, "afterRollback");
        run(ended.afterRollback, "afterRollback");
    }

    /** A savepoint was set in the current transaction. */
    void savepointSet(Savepoint savepoint) {
        Bound bound = bound("setSavepoint");
        bound.savepoints.put(
                savepoint, new Mark(bound.beforeCommit.size(), bound.afterCommit.size(), bound.afterRollback.size()));
    }

    /**
     * What came after the savepoint is undone: its afterCommit callbacks never run, and its afterRollback ones at the end of
     * the transaction, whichever that is. Not now: databases keep locks of what was undone until then.
     */
    void rolledBackTo(Savepoint savepoint) {
        Mark mark = bound("rollback").savepoints.get(savepoint);
        if (mark != null) {
            undo(mark);
        }
    }

    /** All of it so far is undone, by somebody who has the connection but not the transaction. */
    void rolledBackToItsBeginning() {
        undo(new Mark(0, 0, 0));
    }

    private void undo(Mark mark) {
        Bound bound = bound("rollback");
        tail(bound.beforeCommit, mark.beforeCommit()).clear();
        tail(bound.afterCommit, mark.afterCommit()).clear();
        List<Runnable> undone = tail(bound.afterRollback, mark.afterRollback());
        bound.undone.addAll(undone);
        undone.clear();
    }

    private static List<Runnable> tail(List<Runnable> callbacks, int from) {
        return callbacks.subList(Math.min(from, callbacks.size()), callbacks.size());
    }

    /** Takes the transaction off the thread, which is free then. @return what {@link #resume} puts back, if there was one */
    @Nullable
    Object suspend() {
        Bound suspended = current.get();
        current.remove();
        return suspended;
    }

    /** Puts a transaction back that {@link #suspend} took off. */
    void resume(@Nullable Object suspended) {
        if (suspended != null) {
            current.set((Bound) suspended);
        }
    }

    /** Nobody can tell how the transaction ended: neither kind of callback runs. */
    void abandoned() {
        unbind("abandoned");
    }

    private Bound unbind(String caller) {
        Bound ended = bound(caller);
        current.remove();
        return ended;
    }

    private Bound bound(String caller) {
        Bound bound = current.get();
        if (bound == null) {
            throw new IllegalStateException("no transaction is active on thread '"
                    + Thread.currentThread().getName() + "': " + caller + " needs one, begin it first");
        }
        return bound;
    }

    private static void run(List<Runnable> callbacks, String kind) {
        for (Runnable callback : callbacks) {
            try {
                callback.run();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, kind + " callback failed; the transaction has ended, the other callbacks run", e);
            }
        }
    }
}
