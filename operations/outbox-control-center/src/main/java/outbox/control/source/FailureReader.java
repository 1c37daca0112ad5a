package outbox.control.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.node.db.Tables;

/**
 * Lists every recorded failed delivery, whatever became of the event since. Applications with tables in one database
 * share these records. Thread-safe.
 */
public final class FailureReader {
    private static final int MAX_PAGE = 200;
    private static final int DEAD = EventState.DEAD.code();

    private final Application application;
    private final Flavor flavor;

    public FailureReader(Application application) {
        this.application = application;
        this.flavor = application.flavor();
    }

    /**
     * {@code null} means any.
     *
     * @param action {@value AttemptReader#SEND_FAILED} or {@value AttemptReader#FAILED_PERMANENT}
     * @param type an event type
     */
    public record Filter(
            @Nullable String action,
            @Nullable String type,
            @Nullable Instant from,
            @Nullable Instant to) {
        /** @throws IllegalArgumentException for an unknown action */
        public Filter {
            if (action != null
                    && !List.of(AttemptReader.SEND_FAILED, AttemptReader.FAILED_PERMANENT)
                            .contains(action)) {
                throw new IllegalArgumentException("action must be " + AttemptReader.SEND_FAILED + " or "
                        + AttemptReader.FAILED_PERMANENT + ", not '" + action + "'");
            }
        }
    }

    /**
     * One failed delivery.
     *
     * @param attempts deliveries of the event so far, this one included
     * @param error the first line
     */
    public record Failure(
            String action,
            Instant at,
            String eventId,
            String type,
            int attempts,
            @Nullable Long durationMicros,
            @Nullable String node,
            String errorClass,
            String error) {}

    /**
     * Newest first.
     *
     * @param next the cursor of the next page; {@code null} at the end
     * @param recorded whether this application records failed deliveries
     * @param lost failed deliveries that running nodes could not record
     */
    public record Page(List<Failure> failures, @Nullable String next, boolean recorded, long lost) {}

    private record Row(String id, Failure failure) {}

    /** @throws IllegalArgumentException if the cursor is not one of a page */
    public Page page(Filter filter, @Nullable String cursor, int size) throws SQLException {
        int limit = Math.max(1, Math.min(MAX_PAGE, size));
        try (Connection conn = application.dataSource().getConnection()) {
            if (!AttemptTable.exists(conn, flavor)) {
                return new Page(List.of(), null, false, 0);
            }
            List<Row> rows = query(filter, cursor, limit + 1).query(conn, this::row);
            boolean more = rows.size() > limit;
            List<Row> shown = more ? rows.subList(0, limit) : rows;
            Row last = more ? shown.get(limit - 1) : null;
            return new Page(
                    shown.stream().map(Row::failure).toList(),
                    last == null ? null : last.failure().at() + "_" + last.id(),
                    AttemptTable.isWritten(conn, flavor),
                    lost(conn));
        }
    }

    private Sql query(Filter filter, @Nullable String cursor, int limit) {
        Sql sql = new Sql(
                flavor,
                "SELECT id, outcome, happened_at, event_id, event_type, attempt, duration_micros, node, error_class,"
                        + " error_text FROM outbox_attempt WHERE 1 = 1");
        if (filter.action() != null) {
            sql.add(" AND outcome " + (filter.action().equals(AttemptReader.FAILED_PERMANENT) ? "= " : "<> ") + DEAD);
        }
        if (filter.type() != null) {
            sql.add(" AND event_type = ?", filter.type());
        }
        if (filter.from() != null) {
            sql.add(" AND happened_at >= ?", filter.from());
        }
        if (filter.to() != null) {
            sql.add(" AND happened_at <= ?", filter.to());
        }
        if (cursor != null) {
            int end = cursor.indexOf('_');
            Instant at = timeOf(cursor, end);
            sql.add(" AND happened_at <= ? AND (happened_at < ? OR id < ?)", at, at, cursor.substring(end + 1));
        }
        return sql.add(" ORDER BY happened_at DESC, id DESC LIMIT ?", limit);
    }

    private static Instant timeOf(String cursor, int end) {
        try {
            return Instant.parse(cursor.substring(0, Math.max(0, end)));
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("'" + cursor + "' is not the cursor of a page", e);
        }
    }

    private Row row(ResultSet row) throws SQLException {
        String text = row.getString(10);
        int line = text.indexOf('\n');
        return new Row(
                row.getString(1),
                new Failure(
                        row.getInt(2) == DEAD ? AttemptReader.FAILED_PERMANENT : AttemptReader.SEND_FAILED,
                        flavor.time(row, 3),
                        row.getString(4),
                        row.getString(5),
                        row.getInt(6),
                        row.getObject(7) == null ? null : row.getLong(7),
                        row.getString(8),
                        row.getString(9),
                        line < 0 ? text : text.substring(0, line)));
    }

    private long lost(Connection conn) throws SQLException {
        if (!Tables.exists(conn, flavor, "outbox_node")) {
            return 0;
        }
        return Objects.requireNonNullElse(
                new Sql(flavor, "SELECT COALESCE(SUM(attempts_lost), 0) FROM outbox_node WHERE attempts_lost > 0")
                        .first(conn, row -> row.getLong(1)),
                0L);
    }
}
