package outbox.spring.boot;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ReflectionUtils;

/** Finds the transaction manager that works on a data source. */
final class TransactionManagers {
    private TransactionManagers() {}

    /** @throws NoTransactionManagerException if there is none, or none that can be told to be the one */
    static PlatformTransactionManager of(ListableBeanFactory beans, DataSource dataSource, @Nullable String name) {
        if (name != null) {
            return beans.getBean(name, PlatformTransactionManager.class);
        }
        Map<String, PlatformTransactionManager> all = beans.getBeansOfType(PlatformTransactionManager.class);
        Map<String, PlatformTransactionManager> fitting = new LinkedHashMap<>(all);
        fitting.values()
                .removeIf(manager ->
                        !(dataSourceOf(manager) instanceof DataSource its && target(its) == target(dataSource)));
        Map<String, PlatformTransactionManager> untold = new LinkedHashMap<>(all);
        untold.values().removeIf(manager -> dataSourceOf(manager) != null);
        Map<String, PlatformTransactionManager> candidates = fitting.isEmpty() ? untold : fitting;
        if (candidates.size() == 1) {
            return candidates.values().iterator().next();
        }
        PlatformTransactionManager primary =
                beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique();
        if (primary != null && candidates.containsValue(primary)) {
            return primary;
        }
        throw new NoTransactionManagerException(candidates.keySet(), all.keySet());
    }

    /** Those of JDBC, JPA and Hibernate all tell it, without a common type. */
    private static @Nullable Object dataSourceOf(PlatformTransactionManager manager) {
        Method getter = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
        return getter == null ? null : ReflectionUtils.invokeMethod(getter, manager);
    }

    /**
     * What is behind a proxy that gives out the connection of the thread's transaction: who commits on one of his own must
     * not commit that.
     */
    static DataSource target(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? proxy.getTargetDataSource()
                : dataSource;
    }
}
