package outbox.jdbc.store;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxSchemaException;
import outbox.spi.UnitOfWork;

/** Compares the table with the columns the stores use. */
final class SchemaCheck {
    private static final Logger LOG = System.getLogger(SchemaCheck.class.getName());

    private static final String UPDATE_NOTHING = "UPDATE %s SET attempts = attempts WHERE 1 = 0";
    private static final String INSERT_NOTHING = """
            INSERT INTO %1$s (event_id, event_type, payload, status, available_at, created_at)
            SELECT event_id, event_type, payload, status, available_at, created_at FROM %1$s WHERE 1 = 0
            """;

    private SchemaCheck() {}

    /** @throws OutboxSchemaException if the table or a column is missing */
    static void verify(Connection conn, EventTable table, String schemaResource) throws SQLException {
        verify(conn, table, EventTable.COLUMNS, schemaResource);
    }

    /** @throws OutboxSchemaException if the column that ordered delivery needs is missing */
    static void verifyOrdered(Connection conn, EventTable table, String schemaResource) throws SQLException {
        verify(conn, table, List.of(EventTable.SEQ), schemaResource);
    }

    private static void verify(Connection conn, EventTable table, List<String> wanted, String schemaResource)
            throws SQLException {
        Set<String> missing = new TreeSet<>(wanted);
        try (PreparedStatement statement = conn.prepareStatement("SELECT * FROM " + table + " WHERE 1 = 0");
                ResultSet none = statement.executeQuery()) {
            ResultSetMetaData columns = none.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                missing.remove(columns.getColumnLabel(i).toLowerCase(Locale.ROOT));
            }
        } catch (SQLException e) {
            if (table.dialect().isMissingTable(e)) {
                OutboxSchemaException absent = new OutboxSchemaException(
                        "table " + table + " does not exist: " + howToGet(schemaResource), table.name(), Set.of());
                absent.initCause(e);
                throw absent;
            }
            throw e;
        }
        if (!missing.isEmpty()) {
            throw new OutboxSchemaException(
                    "table " + table + " lacks the column" + (missing.size() == 1 ? " " : "s ")
                            + String.join(", ", missing) + ": compare it with " + schemaResource + " in outbox-jdbc",
                    table.name(),
                    missing);
        }
    }

    /** Warns about missing indexes, except the one for purges, which may be dropped as described in the schema. */
    static void warnOfMissingIndexes(Connection conn, OutboxSchema schema, EventTable table) {
        List<String> missing;
        try {
            missing = schema.missingIndexes(conn).stream()
                    .filter(ddl -> !ddl.contains(" " + OutboxSchema.indexName(table.name(), "done") + " "))
                    .toList();
        } catch (SQLException e) {
            LOG.log(Level.WARNING, "could not check the indexes of table " + table + "; continuing", e);
            return;
        }
        if (!missing.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "table " + table + " lacks " + missing.size() + " index(es): claims or queries of dead letters"
                            + " become slower with every row. Create them: " + String.join("; ", missing));
        }
    }

    /** In a transaction: some drivers enforce read-only connections only there. */
    static void verifyWritable(Connection conn, EventTable table, boolean delivers) {
        String statement = (delivers ? UPDATE_NOTHING : INSERT_NOTHING).formatted(table);
        try {
            UnitOfWork.run(conn, own -> JdbcTemplate.update(own, statement, JdbcTemplate.Binder.NOTHING));
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "table " + table + " can be read, but not written to (SQLState " + e.getSQLState() + ", error "
                            + e.getErrorCode() + ": " + e.getMessage()
                            + "). Give the outbox connections to the primary server, from a pool that is not read-only, of"
                            + " a user who may "
                            + (delivers ? "SELECT, INSERT, UPDATE and DELETE" : "SELECT and INSERT"),
                    e);
        }
    }

    private static String howToGet(String schemaResource) {
        return "run " + schemaResource + " of outbox-jdbc, or store.schema().apply(connection)";
    }
}
