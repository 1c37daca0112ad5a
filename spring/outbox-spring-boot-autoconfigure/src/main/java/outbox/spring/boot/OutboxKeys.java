package outbox.spring.boot;

import org.springframework.transaction.PlatformTransactionManager;
import outbox.domain.TransactionRunner;
import outbox.idempotency.IdempotencyRecords;

/**
 * The idempotency keys of an outbox, for everything that runs once per key. There is a bean for each outbox.
 *
 * @param transactions the transactions of the data source
 * @param transactionManager the same ones, for a transaction that does not fit into one method call
 * @param requireTable fails if there is no table of keys
 */
public record OutboxKeys(
        IdempotencyRecords records,
        TransactionRunner transactions,
        PlatformTransactionManager transactionManager,
        Runnable requireTable) {}
