package outbox.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import liquibase.UpdateSummaryEnum;
import liquibase.exception.LiquibaseException;
import liquibase.integration.spring.SpringLiquibase;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.io.DefaultResourceLoader;
import outbox.jdbc.store.JdbcOutboxStores;

/** Loaded only if Liquibase is on the class path. */
final class LiquibaseMigrations implements MigrationTool {
    static final String HISTORY = "outbox_databasechangelog";

    private final ListableBeanFactory beans;
    private final ClassLoader loader;

    LiquibaseMigrations(ListableBeanFactory beans, ClassLoader loader) {
        this.beans = beans;
        this.loader = loader;
    }

    @Override
    public Stream<DataSource> dataSources() {
        return beans.getBeanProvider(SpringLiquibase.class).stream()
                .map(SpringLiquibase::getDataSource)
                .filter(Objects::nonNull);
    }

    @Override
    public boolean hasHistory(DataSource dataSource, List<OutboxMigrations.Module> modules) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return JdbcOutboxStores.hasTable(connection, HISTORY);
        }
    }

    @Override
    public void migrate(DataSource dataSource, List<OutboxMigrations.Module> modules) throws LiquibaseException {
        for (OutboxMigrations.Module module : modules) {
            SpringLiquibase liquibase = new SpringLiquibase();
            liquibase.setDataSource(dataSource);
            liquibase.setResourceLoader(new DefaultResourceLoader(loader));
            liquibase.setChangeLog("classpath:" + module.changeLog());
            liquibase.setDatabaseChangeLogTable(HISTORY);
            liquibase.setDatabaseChangeLogLockTable(HISTORY + "lock");
            liquibase.setShowSummary(UpdateSummaryEnum.OFF);
            liquibase.setAnalyticsEnabled(false); // the application's decision concerns its own runs
            liquibase.afterPropertiesSet();
        }
    }
}
