package outbox.idempotency.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.spi.EventPurger;

/** Deletes handler progress that is no longer needed. Thread-safe. */
final class ConsumptionPurger implements EventPurger {
    /** Selected first, then deleted by key: databases differ in how they evaluate a subselect with a limit. */
    private static final String CHOOSE = """
            SELECT event_id, handler FROM {table} consumed
            WHERE state IN (1, 2, 3) AND updated_at < ? {not-pending}
            LIMIT ?
            """;

    private static final String NOT_PENDING = """
            AND NOT EXISTS (
              SELECT 1 FROM {outbox} event WHERE event.event_id = consumed.event_id AND event.status <> {done})
            """;
    private static final String DELETE = "DELETE FROM {table} WHERE event_id = ? AND handler = ? AND updated_at < ?";

    private final SqlDialect dialect;
    private final String table;
    private final String chooseSql;
    private final String deleteSql;

    private record Key(String eventId, String handler) {}

    ConsumptionPurger(SqlDialect dialect, String table, @Nullable String outboxTable) {
        this.dialect = dialect;
        this.table = table;
        this.chooseSql = dialect.render(
                EventTable.fill(CHOOSE.replace(
                        "{not-pending}", outboxTable == null ? "" : NOT_PENDING.replace("{outbox}", outboxTable))),
                table);
        this.deleteSql = dialect.render(DELETE, table);
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        try {
            List<Key> chosen = JdbcTemplate.query(
                    conn,
                    chooseSql,
                    statement -> {
                        dialect.times().bind(statement, 1, before);
                        statement.setInt(2, limit);
                    },
                    row -> new Key(row.getString(1), row.getString(2)));
            return chosen.isEmpty() ? 0 : delete(conn, chosen, before);
        } catch (SQLException e) {
            throw TableErrors.failed("purge", table, "rows before " + before, e);
        }
    }

    @Override
    public Optional<Instant> now(Connection conn) throws SQLException {
        return Optional.of(dialect.readClock(conn));
    }

    private int delete(Connection conn, List<Key> keys, Instant before) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(deleteSql)) {
            for (Key key : keys) {
                statement.setString(1, key.eventId());
                statement.setString(2, key.handler());
                dialect.times().bind(statement, 3, before);
                statement.addBatch();
            }
            return Arrays.stream(statement.executeBatch()).sum();
        }
    }
}
