package outbox.doctor;

/**
 * Runs work in a transaction like that of business code, and always rolls it back.
 *
 * <pre>{@code
 * RolledBackTransaction transaction = work -> {
 *     try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
 *         work.run(); // no commit
 *     }
 * };
 * }</pre>
 */
@FunctionalInterface
public interface RolledBackTransaction {
    void run(Runnable work) throws Exception;
}
