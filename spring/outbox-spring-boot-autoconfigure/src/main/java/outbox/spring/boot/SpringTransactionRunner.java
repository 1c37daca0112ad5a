package outbox.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;

/** Transactions of a Spring transaction manager. Thread-safe. */
final class SpringTransactionRunner implements TransactionRunner {
    private final PlatformTransactionManager transactions;

    SpringTransactionRunner(PlatformTransactionManager transactions) {
        this.transactions = transactions;
    }

    PlatformTransactionManager manager() {
        return transactions;
    }

    @Override
    public <T extends @Nullable Object> T run(TxMode mode, Work<T> work) throws Exception {
        TransactionStatus status = transactions.getTransaction(new DefaultTransactionDefinition(
                mode == TxMode.REQUIRED
                        ? TransactionDefinition.PROPAGATION_REQUIRED
                        : TransactionDefinition.PROPAGATION_REQUIRES_NEW));
        T result;
        try {
            result = work.run();
        } catch (Throwable e) {
            rollBack(status, e);
            throw e;
        }
        transactions.commit(status);
        return result;
    }

    /** A joined transaction is completed by its owner. */
    private void rollBack(TransactionStatus status, Throwable cause) {
        if (!status.isNewTransaction()) {
            return;
        }
        try {
            transactions.rollback(status);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }
}
