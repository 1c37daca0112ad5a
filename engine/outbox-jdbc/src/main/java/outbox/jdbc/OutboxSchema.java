package outbox.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The DDL of the outbox table, to print or to run. Applications with migrations use the same files from {@code
 * outbox/migration/<database>}. Immutable and thread-safe.
 *
 * <pre>{@code
 * OutboxSchema.of("postgresql", "orders.outbox_event").apply(connection);
 * }</pre>
 */
public final class OutboxSchema {
    /** PostgreSQL truncates longer names silently, so two indexes of a table with a long name would collide. */
    private static final int MAX_INDEX_BASE = 40;

    /** Replaced in one pass: the new name may start with the default name. */
    private static final Pattern NAME = Pattern.compile("(\\bTABLE )?\\b" + TableNames.DEFAULT_TABLE + "(_|\\b)");

    private final String ddl;

    private OutboxSchema(String ddl) {
        this.ddl = ddl;
    }

    /**
     * @param database {@code h2}, {@code mysql}, {@code mariadb} or {@code postgresql}: the name of the store
     * @param tableName {@code table} or {@code schema.table}
     */
    public static OutboxSchema of(String database, String tableName) {
        return of(OutboxSchema.class, database, tableName);
    }

    /**
     * The same for a database of another module.
     *
     * @param owner a class of that module, which has the resource {@code /outbox/schema/<database>.sql}
     */
    public static OutboxSchema of(Class<?> owner, String database, String tableName) {
        String table = TableNames.validate(tableName);
        return new OutboxSchema(NAME.matcher(read(owner, "/outbox/schema/" + database + ".sql"))
                .replaceAll(found -> {
                    String before = found.group(1) == null ? "" : found.group(1);
                    if (found.group(2).isEmpty()) {
                        return before + table;
                    }
                    return before + (before.isEmpty() ? indexName(table, "") : sibling(table, ""));
                }));
    }

    /**
     * The DDL of another module's tables.
     *
     * @param owner a class of that module
     * @param resource an absolute path inside of it, such as {@code /outbox/cdc/schema/postgresql.sql}
     */
    public static OutboxSchema ofResource(Class<?> owner, String resource) {
        return new OutboxSchema(read(owner, resource));
    }

    /** The name of an index in the DDL. */
    public static String indexName(String tableName, String suffix) {
        String bare = tableName.substring(tableName.indexOf('.') + 1);
        return bare.substring(0, Math.min(bare.length(), MAX_INDEX_BASE)) + "_" + suffix;
    }

    /** The name of a related table in the same schema, such as a partition. */
    public static String sibling(String tableName, String suffix) {
        return tableName.substring(0, tableName.indexOf('.') + 1) + indexName(tableName, suffix);
    }

    private static String read(Class<?> owner, String resource) {
        try (InputStream in = owner.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException(
                        "no schema for this database: there is no " + resource + " beside " + owner.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + resource, e);
        }
    }

    /** All of it as one text, comments included. */
    public String ddl() {
        return ddl;
    }

    /** The statements one by one, without comments and semicolons. */
    public List<String> statements() {
        String code = ddl.lines().filter(line -> !line.strip().startsWith("--")).collect(Collectors.joining("\n"));
        return Arrays.stream(code.split(";", -1))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }

    /**
     * The statements that create indexes without an equivalent on the table, whatever its name. A failed {@code CREATE
     * INDEX} is easily overlooked: a renamed older table keeps the names of its indexes.
     */
    public List<String> missingIndexes(Connection connection) throws SQLException {
        return missingIndexes(connection, statements());
    }

    /** The same for any statements; those that create no index are ignored. */
    public static List<String> missingIndexes(Connection connection, List<String> statements) throws SQLException {
        return TableIndexes.missing(connection, statements);
    }

    /** Runs the statements; the table must not exist yet. */
    public void apply(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements()) {
                statement.execute(sql);
            }
        }
    }
}
