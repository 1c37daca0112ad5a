package outbox.node.db;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/** Whether a table is there, asked without failing: on PostgreSQL an error would end the transaction. */
public final class Tables {
    private Tables() {}

    public static boolean exists(Connection conn, Flavor flavor, String table) {
        try {
            String name = flavor == Flavor.H2 ? table.toUpperCase(Locale.ROOT) : table;
            return has(conn, name) || (flavor == Flavor.H2 && has(conn, table));
        } catch (SQLException e) {
            throw new IllegalStateException("can not find out whether table " + table + " exists", e);
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
