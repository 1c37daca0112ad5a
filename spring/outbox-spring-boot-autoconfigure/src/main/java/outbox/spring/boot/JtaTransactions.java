package outbox.spring.boot;

import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.util.ClassUtils;
import outbox.spring.boot.properties.RefusedSettingsException;

/** What is different in an application that uses JTA. */
final class JtaTransactions {
    private static final boolean PRESENT =
            ClassUtils.isPresent("jakarta.transaction.UserTransaction", JtaTransactions.class.getClassLoader());

    private JtaTransactions() {}

    /** Whether the current thread is in a JTA transaction. */
    static BooleanSupplier of(ListableBeanFactory beans) {
        return PRESENT ? Present.of(beans) : () -> false;
    }

    /**
     * The outbox reads and settles its table in transactions of its own, with connections from the same data source. A
     * pool for XA may refuse both outside of a JTA transaction: then nothing would ever be delivered.
     */
    static void requireLocalTransactions(ListableBeanFactory beans, DataSource dataSource) {
        if (!PRESENT || !Present.isUsed(beans)) {
            return;
        }
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            connection.rollback();
            connection.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            throw new RefusedSettingsException(
                    "the data source of the outbox, " + dataSource.getClass().getName()
                            + ", allows no transaction outside of JTA (" + e.getMessage()
                            + "), and the outbox reads its table in transactions of its own",
                    "Allow local transactions in the pool, such as localTransactionMode of Atomikos. Business transactions"
                            + " stay JTA transactions, and events are part of them.",
                    e);
        }
    }

    /** Loaded only with the JTA API. */
    private static final class Present {
        static BooleanSupplier of(ListableBeanFactory beans) {
            List<JtaTransactionManager> managers = List.copyOf(
                    beans.getBeansOfType(JtaTransactionManager.class).values());
            return () -> managers.stream().anyMatch(Present::isActive);
        }

        static boolean isUsed(ListableBeanFactory beans) {
            return beans.getBeanNamesForType(JtaTransactionManager.class).length > 0;
        }

        private static boolean isActive(JtaTransactionManager manager) {
            UserTransaction transaction = manager.getUserTransaction();
            try {
                return transaction != null && transaction.getStatus() == Status.STATUS_ACTIVE;
            } catch (SystemException e) {
                throw new IllegalStateException("cannot read the status of the JTA transaction", e);
            }
        }
    }
}
