package outbox.spi;

import java.sql.Connection;

/**
 * The transaction the caller is in. {@link #currentConnection()} is the very connection the business change uses, so
 * both commit or roll back together.
 */
public interface TxContext {
    boolean isTransactionActive();

    /** @throws IllegalStateException if no transaction is active */
    Connection currentConnection();

    /**
     * Runs {@code callback} right before the transaction commits, as a part of it; what it throws ends the transaction. Not
     * for one that rolls back. A context that has no such moment leaves this as it is: then an event whose transaction
     * lasted longer than its lease is delivered as if its process had died, a few of them at a time.
     *
     * @throws IllegalStateException if no transaction is active
     */
    default void beforeCommit(Runnable callback) {}

    /**
     * Runs {@code callback} after the transaction has committed, and only then.
     *
     * @throws IllegalStateException if no transaction is active
     */
    void afterCommit(Runnable callback);

    /**
     * Runs {@code callback} after the transaction has rolled back, and only then.
     *
     * @throws IllegalStateException if no transaction is active
     */
    void afterRollback(Runnable callback);
}
