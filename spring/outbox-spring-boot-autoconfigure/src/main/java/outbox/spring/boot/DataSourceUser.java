package outbox.spring.boot;

import java.lang.reflect.Method;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import outbox.spring.boot.properties.RefusedSettingsException;

/**
 * The database user of a data source, read from its connection pool. Pools have no common type for it, only the same
 * method names.
 */
record DataSourceUser(String name, String password) {
    private static final List<String> NAMES = List.of("getUsername", "getUser");
    private static final List<String> POOLS = List.of(
            "com.zaxxer.hikari.HikariDataSource",
            "org.apache.tomcat.jdbc.pool.DataSourceProxy",
            "org.apache.commons.dbcp2.BasicDataSource",
            "oracle.ucp.jdbc.PoolDataSource");

    /** @throws RefusedSettingsException if it cannot be determined */
    static DataSourceUser of(DataSource dataSource, Environment environment) {
        Object source = pool(dataSource);
        String user = null;
        for (String getter : NAMES) {
            user = user == null ? call(source, getter) : user;
        }
        if (user != null) {
            String password = call(source, "getPassword");
            return new DataSourceUser(user, password == null ? "" : password);
        }
        String configured = environment.getProperty("spring.datasource.username");
        if (configured == null || configured.isEmpty()) {
            throw new RefusedSettingsException(
                    "the database user of outbox.cdc cannot be determined: "
                            + source.getClass().getName() + " does not expose its user",
                    "Set outbox.cdc.username and" + " outbox.cdc.password.");
        }
        return new DataSourceUser(configured, environment.getProperty("spring.datasource.password", ""));
    }

    private static Object pool(DataSource dataSource) {
        DataSource source = dataSource;
        while (source instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
            source = proxy.getTargetDataSource();
        }
        for (String name : POOLS) {
            Object pool = unwrapped(source, name);
            if (pool != null) {
                return pool;
            }
        }
        return source;
    }

    private static @Nullable Object unwrapped(DataSource source, String pool) {
        ClassLoader loader = DataSourceUser.class.getClassLoader();
        try {
            Class<?> type = ClassUtils.isPresent(pool, loader) ? ClassUtils.resolveClassName(pool, loader) : null;
            return type != null && source.isWrapperFor(type) ? source.unwrap(type) : null;
        } catch (SQLException e) {
            return null;
        }
    }

    private static @Nullable String call(Object source, String getter) {
        Method method = ReflectionUtils.findMethod(source.getClass(), getter);
        if (method == null || method.getReturnType() != String.class) {
            return null;
        }
        ReflectionUtils.makeAccessible(method);
        return (String) ReflectionUtils.invokeMethod(method, source);
    }
}
