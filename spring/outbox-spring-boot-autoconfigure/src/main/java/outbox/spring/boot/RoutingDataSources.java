package outbox.spring.boot;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;
import outbox.spring.boot.properties.RefusedSettingsException;

/**
 * Rejects a data source that selects a database by the calling thread. The threads of the outbox have no tenant: they
 * would serve one database, and events in all others would never be delivered after their node stopped.
 */
final class RoutingDataSources {
    private RoutingDataSources() {}

    static void refuse(DataSource dataSource) {
        if (isRouting(dataSource)) {
            throw new RefusedSettingsException(
                    "the data source of the outbox, "
                            + ClassUtils.getUserClass(dataSource).getName()
                            + ", selects a database by the calling thread (AbstractRoutingDataSource), and the threads of the"
                            + " outbox have no tenant: events in all databases but the default one would not be delivered",
                    "Give"
                            + " each database its own outbox: outbox.instances.<tenant>.data-source=<bean of its DataSource>,"
                            + " with a transaction manager for each. If all transactions write to one database and the router"
                            + " only selects read replicas, set outbox.allow-routing-data-source=true.");
        }
    }

    private static boolean isRouting(@Nullable DataSource dataSource) {
        if (dataSource == null) {
            return false;
        }
        if (dataSource instanceof AbstractRoutingDataSource) {
            return true;
        }
        if (dataSource instanceof DelegatingDataSource proxy) {
            return isRouting(proxy.getTargetDataSource());
        }
        if (AopProxyUtils.getSingletonTarget(dataSource) instanceof DataSource target) {
            return isRouting(target);
        }
        try {
            return dataSource.isWrapperFor(AbstractRoutingDataSource.class); // a proxy of another library
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }
}
