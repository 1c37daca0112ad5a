package outbox.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;

/**
 * Columns of a row that stores do not return.
 *
 * @param done whether {@code done_at} is set
 * @param locked whether {@code locked_at} is set
 */
public record StoredRow(
        EventStatus status,
        int attempts,
        @Nullable String lastError,
        @Nullable String lockedBy,
        boolean locked,
        boolean done) {

    /**
     * Reads a row of a JDBC table without a store.
     *
     * @param table a trusted name: it becomes part of the SQL
     * @return {@code null} if there is no such row
     */
    public static @Nullable StoredRow read(Connection conn, String table, String eventId) throws SQLException {
        try (PreparedStatement statement =
                conn.prepareStatement("SELECT status, attempts, last_error, locked_by, locked_at, done_at FROM " + table
                        + " WHERE event_id = ?")) {
            statement.setString(1, eventId);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? of(row) : null;
            }
        }
    }

    private static StoredRow of(ResultSet row) throws SQLException {
        return new StoredRow(
                EventStatus.fromCode(row.getInt(1)),
                row.getInt(2),
                row.getString(3),
                row.getString(4),
                row.getObject(5) != null,
                row.getObject(6) != null);
    }

    static StoredRow of(InMemoryRow row) {
        return new StoredRow(
                row.status(),
                row.event().attempts(),
                row.lastError(),
                row.lockedBy(),
                row.lockedAt() != null,
                row.doneAt() != null);
    }
}
