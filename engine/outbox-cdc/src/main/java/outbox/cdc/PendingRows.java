package outbox.cdc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The rows a relay begins with: those nobody has delivered, in the order they were written. */
final class PendingRows {
    private PendingRows() {}

    /** The statement that reads them; a table for ordered delivery has a column that says in which order. */
    static String select(Connection conn, String table) throws SQLException {
        boolean numbered = false;
        try (PreparedStatement statement = conn.prepareStatement("SELECT * FROM " + table + " WHERE 1 = 0");
                ResultSet none = statement.executeQuery()) {
            ResultSetMetaData columns = none.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                numbered |= columns.getColumnLabel(i).equalsIgnoreCase("seq");
            }
        }
        return "SELECT * FROM " + table + " WHERE status IN (0, 2) ORDER BY "
                + (numbered ? "seq" : "created_at, event_id");
    }

    static Map<String, String> snapshotSettings(StartFrom startFrom, String table, String select) {
        Map<String, String> settings = new LinkedHashMap<>();
        switch (startFrom) {
            case PENDING_ROWS -> {
                settings.put("snapshot.mode", "when_needed");
                settings.put("snapshot.select.statement.overrides", table);
                settings.put("snapshot.select.statement.overrides." + table, select);
            }
            case NOW -> settings.put("snapshot.mode", "no_data");
        }
        return settings;
    }
}
