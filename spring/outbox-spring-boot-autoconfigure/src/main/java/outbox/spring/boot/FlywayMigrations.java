package outbox.spring.boot;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.springframework.beans.factory.ListableBeanFactory;

/** Loaded only if Flyway is on the class path. */
final class FlywayMigrations implements MigrationTool {
    static final String HISTORY = "outbox_schema_history";

    private final ListableBeanFactory beans;
    private final ClassLoader loader;

    FlywayMigrations(ListableBeanFactory beans, ClassLoader loader) {
        this.beans = beans;
        this.loader = loader;
    }

    @Override
    public Stream<DataSource> dataSources() {
        return beans.getBeanProvider(Flyway.class).stream()
                .map(flyway -> flyway.getConfiguration().getDataSource())
                .filter(Objects::nonNull);
    }

    @Override
    public boolean hasHistory(DataSource dataSource, List<OutboxMigrations.Module> modules) {
        return flyway(dataSource, modules).info().applied().length > 0;
    }

    @Override
    public void migrate(DataSource dataSource, List<OutboxMigrations.Module> modules) {
        flyway(dataSource, modules).migrate();
    }

    private Flyway flyway(DataSource dataSource, List<OutboxMigrations.Module> modules) {
        return Flyway.configure(loader)
                .dataSource(dataSource)
                .table(HISTORY)
                .locations(modules.stream()
                        .map(module -> "classpath:" + module.location())
                        .toArray(String[]::new))
                .baselineOnMigrate(true) // the application's tables are not in this history
                .baselineVersion("0")
                .outOfOrder(true) // a module added later may have lower versions
                .ignoreMigrationPatterns("*:missing", "*:future") // of a module or mode this application does not have
                .load();
    }
}
