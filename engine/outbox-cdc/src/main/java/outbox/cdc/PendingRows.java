package outbox.cdc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import outbox.jdbc.EventTable;

/** The rows a relay delivers first: all pending rows, in the order they were written. */
final class PendingRows {
    private PendingRows() {}

    /** The query for them; tables for ordered delivery have a column that defines the order. */
    static String select(Connection conn, String table) throws SQLException {
        boolean numbered = false;
        try (PreparedStatement statement = conn.prepareStatement("SELECT * FROM " + table + " WHERE 1 = 0");
                ResultSet none = statement.executeQuery()) {
            ResultSetMetaData columns = none.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                numbered |= columns.getColumnLabel(i).equalsIgnoreCase(EventTable.SEQ);
            }
        }
        return EventTable.fill("SELECT * FROM " + table + " WHERE status IN ({pending}) ORDER BY ")
                + (numbered ? EventTable.SEQ : "created_at, event_id");
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
