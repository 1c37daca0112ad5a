package outbox.spring.boot;

import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.util.ClassUtils;

/** Whether the current thread is in a JTA transaction, if the application uses JTA. */
final class JtaTransactions {
    private static final boolean PRESENT =
            ClassUtils.isPresent("jakarta.transaction.UserTransaction", JtaTransactions.class.getClassLoader());

    private JtaTransactions() {}

    static BooleanSupplier of(ListableBeanFactory beans) {
        return PRESENT ? Present.of(beans) : () -> false;
    }

    /** Loaded only with the JTA API. */
    private static final class Present {
        static BooleanSupplier of(ListableBeanFactory beans) {
            List<JtaTransactionManager> managers = List.copyOf(
                    beans.getBeansOfType(JtaTransactionManager.class).values());
            return () -> managers.stream().anyMatch(Present::isActive);
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
