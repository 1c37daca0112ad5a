package outbox.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.ClassUtils;
import outbox.spring.boot.properties.RefusedSettingsException;
import outbox.spring.boot.properties.SchemaProperties.SchemaMode;

/**
 * Runs the outbox migrations with Flyway or Liquibase, in a separate history, so that their versions cannot conflict
 * with the application's, and the application's baseline skips none of them.
 *
 * <p>If the application migrates the same database with that tool, the outbox uses the tool's data source: its user may
 * create tables, while the user of the running application often may not.
 */
final class OutboxMigrations {
    private static final Set<String> DATABASES = Set.of("h2", "postgresql", "mysql", "mariadb");

    private final ListableBeanFactory beans;
    private final ClassLoader loader;
    private final DataSource dataSource;
    private final boolean supported;
    private final List<Module> modules;

    /**
     * A part of the schema, as Flyway location and as Liquibase change log of the same files.
     *
     * @param location the directory of the migrations for one database
     */
    record Module(String location, String changeLog) {}

    OutboxMigrations(
            ListableBeanFactory beans,
            DataSource dataSource,
            String database,
            boolean ordered,
            boolean partitioned,
            boolean relayed,
            boolean claimCheck) {
        this(
                beans,
                dataSource,
                database,
                Stream.of(
                        partitioned ? ofEvents("partitioned-", database, "-partitioned") : ofEvents("", database, ""),
                        ordered ? ofEvents("ordered-", database, "-ordered") : null,
                        claimCheck ? ofEvents("payload-", database, "-payload") : null,
                        ofModule("idempotency", database),
                        relayed ? ofModule("cdc", database) : null,
                        ofModule("node", database),
                        ofModule("control", database)));
    }

    private OutboxMigrations(
            ListableBeanFactory beans, DataSource dataSource, String database, Stream<@Nullable Module> modules) {
        this.beans = beans;
        ClassLoader usual = ClassUtils.getDefaultClassLoader();
        this.loader = usual == null ? OutboxMigrations.class.getClassLoader() : usual;
        this.dataSource = dataSource;
        this.supported = DATABASES.contains(database);
        this.modules = modules.filter(module -> module != null && loader.getResource(module.changeLog()) != null)
                .toList();
    }

    /** Of the tables of an inbox. */
    static OutboxMigrations ofInbox(
            ListableBeanFactory beans, DataSource dataSource, String database, boolean ordered) {
        return new OutboxMigrations(
                beans,
                dataSource,
                database,
                Stream.of(
                        ofInbox("", database, ""),
                        ordered ? ofInbox("ordered-", database, "-ordered") : null,
                        ofModule("idempotency", database),
                        ofModule("node", database),
                        ofModule("control", database)));
    }

    private static Module ofInbox(String variant, String database, String suffix) {
        return new Module(
                "outbox/inbox/migration/" + variant + database, "outbox/inbox/liquibase/inbox-event" + suffix + ".xml");
    }

    private static Module ofEvents(String variant, String database, String suffix) {
        return new Module("outbox/migration/" + variant + database, "outbox/liquibase/outbox-event" + suffix + ".xml");
    }

    private static Module ofModule(String name, String database) {
        return new Module(
                "outbox/" + name + "/migration/" + database, "outbox/" + name + "/liquibase/outbox-" + name + ".xml");
    }

    /**
     * The tool with which the application itself migrates this database; {@code null} if there is none, or there are no
     * migrations for this database.
     */
    @Nullable
    SchemaMode toolOfApplication() {
        return Stream.of(SchemaMode.FLYWAY, SchemaMode.LIQUIBASE)
                .filter(mode -> supported)
                .filter(mode -> {
                    MigrationTool tool = toolOf(mode);
                    return tool != null && dataSourceOfApplication(tool) != null;
                })
                .findFirst()
                .orElse(null);
    }

    /** Whether the outbox's history exists: it is created before the first table. */
    boolean hasHistory(SchemaMode mode) throws SQLException {
        MigrationTool tool = required(mode);
        return tool.hasHistory(migrationDataSource(tool), modules);
    }

    /** @throws MigrationFailedException if the tables cannot be created or upgraded */
    void run(SchemaMode mode) {
        MigrationTool tool = required(mode);
        DataSource target = migrationDataSource(tool);
        try {
            tool.migrate(target, modules);
        } catch (Exception e) {
            throw new MigrationFailedException(
                    mode,
                    "the outbox tables could not be created or upgraded by " + nameOf(mode) + " as database user "
                            + userOf(target) + ": " + e.getMessage() + "; "
                            + NestedExceptionUtils.getMostSpecificCause(e).getMessage(),
                    e);
        }
    }

    private DataSource migrationDataSource(MigrationTool tool) {
        DataSource own = dataSourceOfApplication(tool);
        return own == null ? dataSource : own;
    }

    private @Nullable DataSource dataSourceOfApplication(MigrationTool tool) {
        DataSource mine = TransactionManagers.target(dataSource);
        return tool.dataSources()
                .filter(other -> TransactionManagers.target(other) == mine
                        || Place.of(other).equals(Place.of(mine)))
                .findFirst()
                .orElse(null);
    }

    /** Where a table without a schema in its name is created. */
    private record Place(
            String url, @Nullable String catalog, @Nullable String schema) {
        static Place of(DataSource dataSource) {
            try (Connection connection = dataSource.getConnection()) {
                String url = connection.getMetaData().getURL().split("[?;]", 2)[0];
                return new Place(url, connection.getCatalog(), connection.getSchema());
            } catch (SQLException e) {
                throw new IllegalStateException("cannot connect to create the outbox tables: " + e.getMessage(), e);
            }
        }
    }

    private MigrationTool required(SchemaMode mode) {
        MigrationTool tool = toolOf(mode);
        if (tool == null) {
            String name = nameOf(mode);
            throw new RefusedSettingsException(
                    "outbox.schema.mode is " + name.toLowerCase(Locale.ROOT) + ", but " + name
                            + " is not on the class path",
                    "Add "
                            + (mode == SchemaMode.FLYWAY
                                    ? "org.flywaydb:flyway-core and, for PostgreSQL, MySQL or MariaDB, Flyway's module for it"
                                    : "org.liquibase:liquibase-core")
                            + ".");
        }
        return tool;
    }

    private @Nullable MigrationTool toolOf(SchemaMode mode) {
        if (mode == SchemaMode.FLYWAY) {
            return isPresent("org.flywaydb.core.Flyway") ? new FlywayMigrations(beans, loader) : null;
        }
        return isPresent("liquibase.integration.spring.SpringLiquibase")
                ? new LiquibaseMigrations(beans, loader)
                : null;
    }

    private boolean isPresent(String type) {
        return ClassUtils.isPresent(type, loader);
    }

    private static String nameOf(SchemaMode tool) {
        return tool == SchemaMode.FLYWAY ? "Flyway" : "Liquibase";
    }

    private static String userOf(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return connection.getMetaData().getUserName();
        } catch (SQLException e) {
            return "(unknown: " + e.getMessage() + ")";
        }
    }
}
