package outbox.domain;

import org.jspecify.annotations.Nullable;

/**
 * Runs work in a transaction: by hand on JDBC, or by whatever the application has. The transaction is that of the
 * {@code TxContext} in use, so that writer and tracker find it. Thread-safe.
 */
@FunctionalInterface
public interface TransactionRunner {
    /** What happens in the transaction. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        T run() throws Exception;
    }

    /**
     * Commits what it began when the work returns, rolls it back when the work throws. A transaction that was joined is
     * left to whoever began it.
     *
     * @throws Exception what the work threw, as it is
     */
    <T extends @Nullable Object> T run(TxMode mode, Work<T> work) throws Exception;
}
