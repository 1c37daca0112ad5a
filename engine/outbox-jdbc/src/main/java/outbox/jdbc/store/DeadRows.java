package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.model.OutboxEvent;
import outbox.spi.DeadLetterStore;
import outbox.spi.LeasingOutboxStore;

/** Queries and actions for dead letters. Immutable. */
final class DeadRows {
    private static final String QUERY = """
            SELECT {columns} FROM {table} WHERE status = {dead}{filter} ORDER BY created_at LIMIT ?
            """;
    private static final String COUNT = "SELECT COUNT(*) FROM {table} WHERE status = {dead}{filter}";
    private static final String REPLAY = """
            UPDATE {table} SET status = {new}, attempts = 0, available_at = {now}, done_at = NULL,
              locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND status = {dead}
            """;
    private static final String NOBODY_DELIVERS_IT = """
            WHERE event_id = ? AND (status = {dead} OR status IN ({pending}) AND locked_by IS NULL)
            """;
    private static final String SKIP = """
            UPDATE {table} SET status = {done}, done_at = {now}, locked_by = NULL, locked_at = NULL
            """ + NOBODY_DELIVERS_IT;
    private static final String PARK = """
            UPDATE {table} SET status = {dead}, done_at = {now}, locked_by = ?, locked_at = NULL
            """ + NOBODY_DELIVERS_IT;

    private static final String MARK_UNANNOUNCED = """
            UPDATE {table} SET locked_by = ?, locked_at = NULL WHERE event_id = ? AND status = {dead}
            """;
    private static final String TO_BE_ANNOUNCED =
            "status = {dead} AND locked_by = ? AND (locked_at IS NULL OR locked_at < {now-?})";
    private static final String UNANNOUNCED =
            "SELECT {columns}, last_error FROM {table} WHERE " + TO_BE_ANNOUNCED + " ORDER BY created_at LIMIT ?";
    private static final String BEGIN_ANNOUNCEMENT =
            "UPDATE {table} SET locked_at = {now} WHERE event_id = ? AND " + TO_BE_ANNOUNCED;
    private static final String ANNOUNCED = """
            UPDATE {table} SET locked_by = NULL, locked_at = NULL WHERE event_id = ? AND status = {dead} AND locked_by = ?
            """;

    private final EventTable table;
    private final String querySql;
    private final String countSql;
    private final String replaySql;
    private final String skipSql;
    private final String parkSql;
    private final String markUnannouncedSql;
    private final String unannouncedSql;
    private final String beginAnnouncementSql;
    private final String announcedSql;

    DeadRows(EventTable table) {
        this.table = table;
        this.querySql = table.sql(QUERY);
        this.countSql = table.sql(COUNT);
        this.replaySql = table.sql(REPLAY);
        this.skipSql = table.sql(SKIP);
        this.parkSql = table.sql(PARK);
        this.markUnannouncedSql = table.sql(MARK_UNANNOUNCED);
        this.unannouncedSql = table.sql(UNANNOUNCED);
        this.beginAnnouncementSql = table.sql(BEGIN_ANNOUNCEMENT);
        this.announcedSql = table.sql(ANNOUNCED);
    }

    List<OutboxEvent> query(Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit)
            throws SQLException {
        return JdbcTemplate.query(
                conn,
                querySql.replace("{filter}", filter(eventType, aggregateType)),
                statement -> statement.setInt(bind(statement, eventType, aggregateType), limit),
                table::read);
    }

    int count(Connection conn, @Nullable String eventType) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        countSql.replace("{filter}", filter(eventType, null)),
                        statement -> bind(statement, eventType, null),
                        row -> row.getInt(1))
                .get(0);
    }

    private static String filter(@Nullable String eventType, @Nullable String aggregateType) {
        return (eventType == null ? "" : " AND event_type = ?")
                + (aggregateType == null ? "" : " AND aggregate_type = ?");
    }

    /** @return the index of the next parameter */
    private static int bind(PreparedStatement statement, @Nullable String eventType, @Nullable String aggregateType)
            throws SQLException {
        int index = 1;
        if (eventType != null) {
            statement.setString(index++, eventType);
        }
        if (aggregateType != null) {
            statement.setString(index++, aggregateType);
        }
        return index;
    }

    int markUnannounced(Connection conn, Collection<String> eventIds) throws SQLException {
        int marked = 0;
        for (String eventId : eventIds) {
            marked += JdbcTemplate.update(conn, markUnannouncedSql, statement -> {
                statement.setString(1, DeadLetterStore.UNANNOUNCED);
                statement.setString(2, eventId);
            });
        }
        return marked;
    }

    List<DeadLetterStore.DeadRow> unannounced(Connection conn, Duration retryAfter, int limit) throws SQLException {
        return JdbcTemplate.query(
                conn,
                unannouncedSql,
                statement -> {
                    statement.setString(1, DeadLetterStore.UNANNOUNCED);
                    statement.setLong(2, SqlDialect.micros(retryAfter));
                    statement.setInt(3, limit);
                },
                row -> new DeadLetterStore.DeadRow(table.read(row), row.getString(EventTable.READ_COLUMNS.size() + 1)));
    }

    boolean beginAnnouncement(Connection conn, String eventId, Duration retryAfter) throws SQLException {
        return JdbcTemplate.update(conn, beginAnnouncementSql, statement -> {
                    statement.setString(1, eventId);
                    statement.setString(2, DeadLetterStore.UNANNOUNCED);
                    statement.setLong(3, SqlDialect.micros(retryAfter));
                })
                > 0;
    }

    int announced(Connection conn, String eventId) throws SQLException {
        return JdbcTemplate.update(conn, announcedSql, statement -> {
            statement.setString(1, eventId);
            statement.setString(2, DeadLetterStore.UNANNOUNCED);
        });
    }

    int replay(Connection conn, String eventId) throws SQLException {
        return JdbcTemplate.update(conn, replaySql, statement -> statement.setString(1, eventId));
    }

    int skip(Connection conn, String eventId) throws SQLException {
        return JdbcTemplate.update(conn, skipSql, statement -> statement.setString(1, eventId));
    }

    int park(Connection conn, String eventId) throws SQLException {
        return JdbcTemplate.update(conn, parkSql, statement -> {
            statement.setString(1, LeasingOutboxStore.PARKED);
            statement.setString(2, eventId);
        });
    }
}
