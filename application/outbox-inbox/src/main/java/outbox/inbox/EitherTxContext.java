package outbox.inbox;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.TxContext;

/** The inbox's own short transaction if there is one on this thread, otherwise that of the caller. Thread-safe. */
final class EitherTxContext implements TxContext {
    private final ThreadLocalTxContext own;
    private final @Nullable TxContext callers;

    EitherTxContext(ThreadLocalTxContext own, @Nullable TxContext callers) {
        this.own = own;
        this.callers = callers;
    }

    private TxContext current() {
        return callers == null || own.isTransactionActive() ? own : callers;
    }

    @Override
    public boolean isTransactionActive() {
        return current().isTransactionActive();
    }

    @Override
    public Connection currentConnection() {
        return current().currentConnection();
    }

    @Override
    public void beforeCommit(Runnable callback) {
        current().beforeCommit(callback);
    }

    @Override
    public void afterCommit(Runnable callback) {
        current().afterCommit(callback);
    }

    @Override
    public void afterRollback(Runnable callback) {
        current().afterRollback(callback);
    }
}
