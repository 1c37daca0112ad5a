package outbox.spring.boot;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds the data source that holds an outbox table. */
final class DataSources {
    private DataSources() {}

    /** @throws SeveralDataSourcesException if the choice is ambiguous, or the named one does not exist */
    static DataSource of(ConfigurableListableBeanFactory beans, @Nullable String name) {
        List<String> names = Arrays.asList(beans.getBeanNamesForType(DataSource.class));
        if (name != null) {
            if (!names.contains(name)) {
                throw new SeveralDataSourcesException(name, names);
            }
            return beans.getBean(name, DataSource.class);
        }
        DataSource marked = markedIn(beans);
        if (marked != null) {
            return marked;
        }
        DataSource only = beans.getBeanProvider(DataSource.class).getIfUnique();
        if (only == null) {
            throw new SeveralDataSourcesException(null, names);
        }
        return only;
    }

    private static @Nullable DataSource markedIn(ListableBeanFactory beans) {
        Map<String, Object> marked = beans.getBeansWithAnnotation(OutboxDataSource.class);
        return marked.values().stream()
                .filter(DataSource.class::isInstance)
                .map(DataSource.class::cast)
                .findFirst()
                .orElse(null);
    }
}
