package outbox.idempotency.jdbc;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.spi.TxContext;

/** Runs work in plain JDBC transactions. Thread-safe. */
public final class JdbcTransactionRunner implements TransactionRunner {
    private final JdbcTransactionManager transactions;
    private final TxContext txContext;

    /** @param txContext the transaction context of the transaction manager */
    public JdbcTransactionRunner(JdbcTransactionManager transactions, TxContext txContext) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.txContext = Objects.requireNonNull(txContext, "txContext");
    }

    @Override
    public <T extends @Nullable Object> T run(TxMode mode, Work<T> work) throws Exception {
        if (mode == TxMode.REQUIRED && txContext.isTransactionActive()) {
            return work.run();
        }
        try (JdbcTransactionManager.Transaction transaction = transactions.beginNew()) {
            T result = work.run();
            transaction.commit();
            return result;
        }
    }
}
