package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.node.db.Flavor;
import outbox.node.db.SchemaFile;
import outbox.spring.boot.properties.SchemaProperties.SchemaMode;

/**
 * The tables of nodes and of the control center, created or checked according to {@code outbox.schema.mode}. They are
 * not needed for delivery: if they are missing, a warning is logged and the features that need them are disabled.
 */
final class ControlTables {
    private static final Logger LOG = System.getLogger(ControlTables.class.getName());

    private ControlTables() {}

    /** @param otherwise the feature that is disabled without the tables */
    static boolean areUsableByNodes(DataSource dataSource, SchemaMode mode, String otherwise) {
        return problem(dataSource, mode, otherwise, SchemaFile.ofNodes(databaseOf(dataSource))) == null;
    }

    /** @return why the page cannot be served, with the DDL files to run; {@code null} if it can */
    static @Nullable String problemOfPage(DataSource dataSource, SchemaMode mode) {
        String database = databaseOf(dataSource);
        return problem(
                dataSource,
                mode,
                "the outbox control center is not served",
                ControlCenter.schema(database),
                SchemaFile.ofNodes(database));
    }

    private static String databaseOf(DataSource dataSource) {
        return Flavor.detect(dataSource).database();
    }

    /** @param related further schemas to create with them, if missing */
    private static @Nullable String problem(
            DataSource dataSource, SchemaMode mode, String otherwise, SchemaFile schema, SchemaFile... related) {
        String problem = null;
        try {
            if (OutboxTables.creates(mode, dataSource)) {
                schema.apply(dataSource);
            }
            List<String> missing = schema.missing(dataSource);
            if (!missing.isEmpty()) {
                problem = "missing tables: " + String.join(", ", missing) + ", and outbox.schema.mode is "
                        + mode.name().toLowerCase(Locale.ROOT);
            }
        } catch (SQLException | RuntimeException e) {
            problem = "its tables cannot be created or read: " + e.getMessage();
        }
        if (problem == null) {
            return null;
        }
        String message = problem + ". Run " + String.join(" and ", files(dataSource, schema, related))
                + " from the class path as a user that may create tables, then restart the application";
        LOG.log(Level.WARNING, otherwise + ": " + message);
        return message;
    }

    private static List<String> files(DataSource dataSource, SchemaFile schema, SchemaFile... related) {
        List<String> files = new ArrayList<>();
        for (SchemaFile other : related) {
            if (isIncomplete(dataSource, other)) {
                files.add(other.file());
            }
        }
        files.add(schema.file());
        return files;
    }

    private static boolean isIncomplete(DataSource dataSource, SchemaFile schema) {
        try {
            return !schema.missing(dataSource).isEmpty();
        } catch (SQLException | RuntimeException e) {
            return false; // reported elsewhere
        }
    }
}
