package outbox.doctor;

/**
 * Runs something in a transaction such as business code has, and rolls it back whatever happens.
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
