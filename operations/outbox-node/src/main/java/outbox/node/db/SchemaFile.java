package outbox.node.db;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.TableCreation;

/**
 * The DDL of the tables beside the outbox table, to print or to run. Applications with migrations use the same files.
 * Immutable and thread-safe.
 */
public final class SchemaFile {
    private static final Logger LOG = System.getLogger(SchemaFile.class.getName());
    private static final Pattern TABLE = Pattern.compile("(?:CREATE TABLE|INTO|ON) (outbox_\\w+)");

    private final Flavor flavor;
    private final String file;
    private final OutboxSchema schema;

    private SchemaFile(Class<?> module, Flavor flavor, String file) {
        this.flavor = flavor;
        this.file = file;
        this.schema = OutboxSchema.ofResource(module, "/" + file);
    }

    /**
     * @param module a class of the module that ships the file
     * @param directory the directory that holds one directory per database
     * @param database {@code h2}, {@code postgresql}, {@code mysql} or {@code mariadb}
     */
    public static SchemaFile of(Class<?> module, String directory, String database, String name) {
        Flavor flavor = Flavor.of(database);
        return new SchemaFile(module, flavor, directory + "/" + flavor.database() + "/" + name);
    }

    /** The tables that nodes write: heartbeats, attempts, switches. */
    public static SchemaFile ofNodes(String database) {
        return of(SchemaFile.class, "outbox/node/migration", database, "V20261101000005__outbox_node.sql");
    }

    /** Where the DDL is on the class path. */
    public String file() {
        return file;
    }

    /** All of it as one text, comments included. */
    public String ddl() {
        return schema.ddl();
    }

    /** The names of the tables that do not exist. */
    public List<String> missing(DataSource dataSource) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return missing(conn);
        }
    }

    private List<String> missing(Connection conn) {
        return schema.statements().stream()
                .map(SchemaFile::tableOf)
                .distinct()
                .filter(table -> !Tables.exists(conn, flavor, table))
                .toList();
    }

    /**
     * Creates what is missing: tables, and indexes and first rows that a process which was killed did not get to, as most
     * databases commit each statement by itself. Of several nodes that start at once, one does.
     *
     * @throws SQLException if a table cannot be created; what else cannot is logged
     */
    public void apply(DataSource dataSource) throws SQLException {
        List<String> undone;
        try (Connection conn = dataSource.getConnection()) {
            undone = undone(conn);
        }
        if (undone.isEmpty()) {
            return;
        }
        try {
            TableCreation.run(
                    dataSource::getConnection,
                    flavor.store("outbox_event").election(),
                    conn -> TableCreation.execute(conn, undone(conn)));
        } catch (SQLException | IllegalStateException e) {
            if (!missing(dataSource).isEmpty()) {
                throw e;
            }
            LOG.log(
                    Level.WARNING,
                    "the tables of " + file + " are there, but not all that belongs to them. Run as a user that may: "
                            + String.join("; ", undone),
                    e);
        }
    }

    private List<String> undone(Connection conn) throws SQLException {
        List<String> missing = missing(conn);
        List<String> undone = new ArrayList<>();
        for (String sql : schema.statements()) {
            if (missing.contains(tableOf(sql))
                    || !OutboxSchema.missingIndexes(conn, List.of(sql)).isEmpty()
                    || (sql.startsWith("INSERT") && isEmpty(conn, tableOf(sql)))) {
                undone.add(sql);
            }
        }
        return undone;
    }

    private boolean isEmpty(Connection conn, String table) throws SQLException {
        return new Sql(flavor, "SELECT 1 FROM " + table).first(conn, row -> row.getInt(1)) == null;
    }

    private static String tableOf(String sql) {
        Matcher matcher = TABLE.matcher(sql);
        if (!matcher.find()) {
            throw new IllegalStateException("no table in: " + sql);
        }
        return matcher.group(1);
    }
}
