package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/**
 * Leases rows on PostgreSQL in one round trip. The statement adds up the sizes of the rows it has locked, and leases and
 * returns only those that fit. RETURNING only sees what a row has become, so rows that somebody held are leased one or two
 * milliseconds later than the others: that is how the statement tells them apart. Thread-safe.
 */
final class ReturningClaim {
    private static final String CLAIM =
            PostgresOutboxStore.NO_BITMAPS + """
            ;
            UPDATE {table} SET locked_by = ?, locked_at = {now} + %s * INTERVAL '1 millisecond'
            WHERE event_id = ANY (ARRAY(
              SELECT event_id FROM (
                SELECT event_id, SUM(bytes) OVER (
                    ORDER BY available_at, event_id ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before FROM (
                  SELECT event_id, available_at, {bytes} AS bytes FROM {table}
                  WHERE status IN (0, 2) AND available_at <= {now} {from}
                    AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < {now-?}) {recent}
                  ORDER BY available_at LIMIT ? FOR UPDATE SKIP LOCKED) due) counted
              WHERE bytes_before < ?))
            RETURNING %s, CAST(EXTRACT(MILLISECONDS FROM locked_at - {now}) AS INTEGER), available_at
            """.formatted(EventRows.FORMER_LEASE, EventRows.COLUMNS_TO_CLAIM);
    private static final String FROM = "AND available_at >= ?";
    private static final String RECENT = "AND created_at <= {now-?}";

    private final EventRows rows;
    private final LargeValues largeValues;
    private final String allSql;
    private final String allOlderSql;
    private final String fromSql;
    private final String fromOlderSql;
    private final ClaimStart start = new ClaimStart();

    ReturningClaim(String table, SqlDialect dialect, EventRows rows) {
        this.rows = rows;
        this.largeValues = new LargeValues(table, dialect);
        String payload = dialect.bytes().replace("{column}", "payload");
        String headers = dialect.bytes().replace("{column}", "headers");
        String claim =
                LargeValues.measured(CLAIM, dialect).replace("{bytes}", payload + " + COALESCE(" + headers + ", 0)");
        this.allSql = dialect.render(claim.replace("{from}", "").replace("{recent}", ""), table);
        this.allOlderSql = dialect.render(claim.replace("{from}", "").replace("{recent}", RECENT), table);
        this.fromSql = dialect.render(claim.replace("{from}", FROM).replace("{recent}", ""), table);
        this.fromOlderSql = dialect.render(claim.replace("{from}", FROM).replace("{recent}", RECENT), table);
    }

    List<OutboxEvent> claim(Connection conn, ClaimRequest request) throws SQLException {
        ClaimBytes bytes = new ClaimBytes(request.maxBytes());
        return largeValues.read(
                conn,
                EventRows.dueFirst(start.claim(
                        request.limit(), bytes, (from, limit) -> claim(conn, request, bytes, from, limit))));
    }

    private List<EventRows.Due> claim(
            Connection conn, ClaimRequest request, ClaimBytes bytes, @Nullable Instant from, int limit)
            throws SQLException {
        boolean all = request.skipRecent().isZero();
        String sql = from == null ? (all ? allSql : allOlderSql) : (all ? fromSql : fromOlderSql);
        List<EventRows.Due> claimed = JdbcTemplate.updateReturning(
                conn,
                sql,
                statement -> {
                    int index = 1;
                    statement.setString(index++, request.owner());
                    statement.setString(index++, request.owner());
                    if (from != null) {
                        rows.times().bind(statement, index++, from);
                    }
                    statement.setLong(index++, Micros.of(request.leaseTime()));
                    if (!all) {
                        statement.setLong(index++, Micros.of(request.skipRecent()));
                    }
                    statement.setInt(index++, limit);
                    statement.setLong(index, request.maxBytes() - bytes.taken());
                },
                rows::readDue);
        claimed.forEach(row -> bytes.count(row.event()));
        return claimed;
    }
}
