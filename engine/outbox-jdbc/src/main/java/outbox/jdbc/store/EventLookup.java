package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.model.EventStatus;

/**
 * Read-only queries for operators and health checks. Every query uses an index or is limited to a number of rows, so
 * that it is safe on large tables. Thread-safe.
 */
public final class EventLookup {
    private static final String COLUMNS = """
            event_id, event_type, aggregate_type, aggregate_id, tenant_id, status, attempts, available_at, created_at,
            done_at, last_error, locked_by, payload, headers
            """;
    private static final String COUNT = "SELECT COUNT(*) FROM (SELECT 1 FROM {table} WHERE status = ? LIMIT ?) counted";
    private static final String EXISTING = "SELECT event_id FROM {table} WHERE event_id IN (%s)";
    private static final String ONE = "SELECT " + COLUMNS + " FROM {table} WHERE event_id = ?";

    private final EventTable table;

    EventLookup(EventTable table) {
        this.table = table;
    }

    /** A row. */
    public record Row(
            String eventId,
            String eventType,
            @Nullable String aggregateType,
            @Nullable String aggregateId,
            @Nullable String tenantId,
            EventStatus status,
            int attempts,
            Instant availableAt,
            Instant createdAt,
            @Nullable Instant doneAt,
            @Nullable String lastError,
            @Nullable String lockedBy,
            String payloadJson,
            @Nullable String headersJson) {}

    /** The number of rows with that status, counted up to {@code atMost}. */
    public int count(Connection conn, EventStatus status, int atMost) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        table.sql(COUNT),
                        statement -> {
                            statement.setInt(1, status.code());
                            statement.setInt(2, atMost);
                        },
                        row -> row.getInt(1))
                .get(0);
    }

    /** Rows of a status, ordered by due time; without a status the newest rows. */
    public List<Row> find(Connection conn, @Nullable EventStatus status, @Nullable String eventType, int limit)
            throws SQLException {
        List<String> conditions = new ArrayList<>();
        if (status != null) {
            conditions.add("status = ?");
        }
        if (eventType != null) {
            conditions.add("event_type = ?");
        }
        boolean byDueTime = status != null && status != EventStatus.DONE;
        String sql = "SELECT " + COLUMNS + " FROM {table}"
                + (conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions))
                + (byDueTime ? " ORDER BY available_at" : " ORDER BY event_id DESC")
                + " LIMIT ?";
        return JdbcTemplate.query(
                conn,
                table.sql(sql),
                statement -> {
                    int index = 1;
                    if (status != null) {
                        statement.setInt(index++, status.code());
                    }
                    if (eventType != null) {
                        statement.setString(index++, eventType);
                    }
                    statement.setInt(index, limit);
                },
                this::read);
    }

    /** {@code null} if there is no such row. */
    public @Nullable Row one(Connection conn, String eventId) throws SQLException {
        List<Row> found =
                JdbcTemplate.query(conn, table.sql(ONE), statement -> statement.setString(1, eventId), this::read);
        return found.isEmpty() ? null : found.get(0);
    }

    /** Those of these ids that the table has. */
    public Set<String> existing(Connection conn, Collection<String> eventIds) throws SQLException {
        Set<String> found = new HashSet<>();
        for (InList ids : InList.split(eventIds, InList.LARGEST)) {
            found.addAll(JdbcTemplate.query(
                    conn,
                    table.sql(EXISTING.formatted(ids.placeholders())),
                    statement -> ids.bind(statement, 1),
                    row -> row.getString(1)));
        }
        return found;
    }

    private Row read(ResultSet row) throws SQLException {
        return new Row(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                EventStatus.fromCode(row.getInt(6)),
                row.getInt(7),
                table.times().read(row, 8),
                table.times().read(row, 9),
                row.getTimestamp(10) == null ? null : table.times().read(row, 10),
                row.getString(11),
                row.getString(12),
                row.getString(13),
                row.getString(14));
    }
}
