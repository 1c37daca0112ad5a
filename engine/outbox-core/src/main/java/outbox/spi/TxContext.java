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
