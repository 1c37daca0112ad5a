package outbox.node.db;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/** Whether a table exists. Uses the catalog: on PostgreSQL a failing statement would abort the transaction. */
public final class Tables {
    private Tables() {}

    public static boolean exists(Connection conn, Flavor flavor, String table) {
        try {
            return has(conn, table)
                    || (conn.getMetaData().storesUpperCaseIdentifiers() && has(conn, table.toUpperCase(Locale.ROOT)));
        } catch (SQLException e) {
            throw new IllegalStateException("cannot find out whether table " + table + " exists", e);
        }
    }

    private static boolean has(Connection conn, String name) throws SQLException {
        String schema = conn.getSchema();
        try (ResultSet tables = conn.getMetaData()
                .getTables(
                        conn.getCatalog(),
                        schema,
                        name.replace("_", conn.getMetaData().getSearchStringEscape() + "_"),
                        new String[] {"TABLE", "BASE TABLE"})) {
            return tables.next();
        }
    }
}
