package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import outbox.jdbc.OutboxSchemaException;

/** Compares the table with the columns the stores use. */
final class SchemaCheck {
    private static final List<String> COLUMNS = List.of(
            "event_id",
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "tenant_id",
            "payload",
            "headers",
            "status",
            "attempts",
            "available_at",
            "created_at",
            "done_at",
            "last_error",
            "locked_by",
            "locked_at");

    private SchemaCheck() {}

    /** @throws OutboxSchemaException if the table or a column is missing */
    static void verify(Connection conn, String table, String schemaResource) throws SQLException {
        verify(conn, table, COLUMNS, schemaResource);
    }

    /** @throws OutboxSchemaException if the column that ordered delivery needs is missing */
    static void verifyOrdered(Connection conn, String table, String schemaResource) throws SQLException {
        verify(conn, table, List.of("seq"), schemaResource);
    }

    private static void verify(Connection conn, String table, List<String> wanted, String schemaResource)
            throws SQLException {
        Set<String> missing = new TreeSet<>(wanted);
        try (PreparedStatement statement = conn.prepareStatement("SELECT * FROM " + table + " WHERE 1 = 0");
                ResultSet none = statement.executeQuery()) {
            ResultSetMetaData columns = none.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                missing.remove(columns.getColumnLabel(i).toLowerCase(Locale.ROOT));
            }
        } catch (SQLException e) {
            if (SqlErrors.isMissingTable(e)) {
                OutboxSchemaException absent = new OutboxSchemaException(
                        "table " + table + " does not exist: " + howToGet(schemaResource), table, Set.of());
                absent.initCause(e);
                throw absent;
            }
            throw e;
        }
        if (!missing.isEmpty()) {
            throw new OutboxSchemaException(
                    "table " + table + " lacks the column" + (missing.size() == 1 ? " " : "s ")
                            + String.join(", ", missing) + ": compare it with " + schemaResource + " in outbox-jdbc",
                    table,
                    missing);
        }
    }

    private static String howToGet(String schemaResource) {
        return "run " + schemaResource + " of outbox-jdbc, or store.schema().apply(connection)";
    }
}
