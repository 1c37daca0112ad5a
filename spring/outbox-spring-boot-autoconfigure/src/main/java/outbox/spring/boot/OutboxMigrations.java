package outbox.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.springframework.util.ClassUtils;

/**
 * Runs the migrations of the outbox by Flyway, in a history of their own: their versions neither collide with those of
 * the application nor come out of order among them, and a baseline of the application skips none of them.
 */
final class OutboxMigrations {
    static final String HISTORY = "outbox_schema_history";

    /** Migrations of modules that may not be there, by a file that tells. */
    private static final Map<String, String> OPTIONAL = Map.of(
            "outbox/cdc/migration/", "V1_3__outbox_cdc.sql",
            "outbox/node/migration/", "V1_4__outbox_node.sql",
            "outbox/control/migration/", "V1_5__outbox_control.sql");

    private OutboxMigrations() {}

    /** @param database the name of the store */
    static void run(DataSource dataSource, String database, List<String> locations) {
        ClassLoader loader = ClassUtils.getDefaultClassLoader();
        if (loader == null || !ClassUtils.isPresent("org.flywaydb.core.Flyway", loader)) {
            throw new IllegalStateException("outbox.schema.mode is flyway, but Flyway is not on the class path: add"
                    + " org.flywaydb:flyway-core and, for PostgreSQL, MySQL or MariaDB, Flyway's module for it");
        }
        List<String> all = new ArrayList<>(locations);
        OPTIONAL.forEach((location, file) -> {
            if (loader.getResource(location + database + "/" + file) != null) {
                all.add(location + database);
            }
        });
        ByFlyway.migrate(loader, dataSource, all);
    }

    /** Loaded only where Flyway is. */
    private static final class ByFlyway {
        static void migrate(ClassLoader loader, DataSource dataSource, List<String> locations) {
            try {
                Flyway.configure(loader)
                        .dataSource(dataSource)
                        .table(HISTORY)
                        .locations(locations.stream()
                                .map(location -> "classpath:" + location)
                                .toArray(String[]::new))
                        .baselineOnMigrate(true) // the tables of the application are not in this history
                        .baselineVersion("0")
                        .outOfOrder(true) // a module that is added later brings earlier versions
                        .load()
                        .migrate();
            } catch (FlywayException e) {
                throw new IllegalStateException(
                        "outbox.schema.mode=flyway: the tables of the outbox could not be created by Flyway, history "
                                + HISTORY + ": " + e.getMessage()
                                + "\nIf they exist already because they were created in another way, set"
                                + " outbox.schema.mode=validate.",
                        e);
            }
        }
    }
}
