package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.model.OutboxEvent;
import outbox.spi.LeasingOutboxStore;

/** Queries and actions for dead letters. Immutable. */
final class DeadLetters {
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

    private final EventTable table;
    private final String querySql;
    private final String countSql;
    private final String replaySql;
    private final String skipSql;
    private final String parkSql;

    DeadLetters(EventTable table) {
        this.table = table;
        this.querySql = table.sql(QUERY);
        this.countSql = table.sql(COUNT);
        this.replaySql = table.sql(REPLAY);
        this.skipSql = table.sql(SKIP);
        this.parkSql = table.sql(PARK);
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
