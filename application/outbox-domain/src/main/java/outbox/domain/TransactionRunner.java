package outbox.domain;

import org.jspecify.annotations.Nullable;

/**
 * Runs work in a transaction of the {@code TxContext} in use, so that writer and tracker find it. Thread-safe.
 */
@FunctionalInterface
public interface TransactionRunner {
    /** The work in the transaction. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        T run() throws Exception;
    }

    /**
     * Commits its own transaction when the work returns and rolls it back when the work throws. A joined transaction is
     * completed by its owner.
     *
     * @throws Exception the exception of the work, not wrapped
     */
    <T extends @Nullable Object> T run(TxMode mode, Work<T> work) throws Exception;
}
