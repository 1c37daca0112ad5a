package outbox.spring.boot;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Flyway or Liquibase, with a history of the outbox beside that of the application. */
interface MigrationTool {
    /** The data sources that the application itself migrates with this tool. */
    Stream<DataSource> dataSources();

    /** Whether the outbox's history exists in this database. */
    boolean hasHistory(DataSource dataSource, List<OutboxMigrations.Module> modules) throws SQLException;

    /** @throws Exception whatever the tool throws if a migration fails */
    void migrate(DataSource dataSource, List<OutboxMigrations.Module> modules) throws Exception;
}
