package outbox.spring.boot;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ReflectionUtils;

/** Finds the transaction manager that works on a data source. */
final class TransactionManagers {
    private TransactionManagers() {}

    /** @throws NoTransactionManagerException if there is none, or the choice is ambiguous */
    static PlatformTransactionManager of(ListableBeanFactory beans, DataSource dataSource, @Nullable String name) {
        if (name != null) {
            PlatformTransactionManager named = beans.getBean(name, PlatformTransactionManager.class);
            Object resource = resourceOf(named);
            if (resource != null && !(resource instanceof DataSource)) {
                throw NoTransactionManagerException.notOfADatabase(name, named.getClass());
            }
            return named;
        }
        Map<String, PlatformTransactionManager> all = beans.getBeansOfType(PlatformTransactionManager.class);
        Map<String, PlatformTransactionManager> fitting = new LinkedHashMap<>(all);
        fitting.values()
                .removeIf(manager ->
                        !(resourceOf(manager) instanceof DataSource its && target(its) == target(dataSource)));
        Map<String, PlatformTransactionManager> untold = new LinkedHashMap<>(all);
        untold.values().removeIf(manager -> resourceOf(manager) != null);
        Map<String, PlatformTransactionManager> candidates = fitting.isEmpty() ? untold : fitting;
        if (candidates.size() == 1) {
            return candidates.values().iterator().next();
        }
        PlatformTransactionManager primary =
                beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique();
        if (primary != null && candidates.containsValue(primary)) {
            return primary;
        }
        if (!candidates.isEmpty()) {
            throw NoTransactionManagerException.several(candidates.keySet());
        }
        throw all.isEmpty()
                ? NoTransactionManagerException.none()
                : NoTransactionManagerException.onlyOthers(all.keySet());
    }

    /**
     * The data source of a manager, or what else its transactions are about: the connections to a broker, for instance.
     * JDBC, JPA and Hibernate managers all have the same getter, without a common type; that of Kafka has its own.
     *
     * @return {@code null} if it does not tell, like a JTA manager
     */
    private static @Nullable Object resourceOf(PlatformTransactionManager manager) {
        Object target = AopProxyUtils.getSingletonTarget(manager);
        Object actual = target == null ? manager : target;
        for (String name : List.of("getDataSource", "getProducerFactory")) {
            Method getter = ReflectionUtils.findMethod(actual.getClass(), name);
            if (getter != null) {
                return ReflectionUtils.invokeMethod(getter, actual);
            }
        }
        return actual instanceof ResourceTransactionManager its ? its.getResourceFactory() : null;
    }

    /**
     * Unwraps a proxy that returns the connection of the thread's transaction: code that commits its own connection
     * must not commit that one.
     */
    static DataSource target(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? proxy.getTargetDataSource()
                : dataSource;
    }
}
