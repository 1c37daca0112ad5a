package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/**
 * Leases rows on PostgreSQL in one round trip, by the database's clock or by given times. The statement adds up the sizes
 * of the rows it has locked, and leases and returns only those that fit. RETURNING only sees what a row has become, so rows
 * that had an owner are leased one or two milliseconds later than the others: that is how the statement tells them apart.
 * Thread-safe.
 */
final class ReturningClaim implements ClaimStrategy, PendingClaimStrategy {
    /**
     * With statistics that are missing, or from a time when little was pending, the planner expects next to nothing and
     * would collect and sort all that is pending before it takes the first rows; the index already has them in order.
     * Holds until the transaction ends.
     */
    static final String NO_BITMAPS = "SET LOCAL enable_bitmapscan = off";

    private static final String CLAIM = NO_BITMAPS + """
            ;
            UPDATE {table} SET locked_by = ?, locked_at = {now} + %s * INTERVAL '1 millisecond'
            WHERE event_id = ANY (ARRAY(
              SELECT event_id FROM (
                SELECT event_id, SUM(bytes) OVER (
                    ORDER BY available_at, event_id ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before FROM (
                  SELECT event_id, available_at, {bytes} AS bytes FROM {table}
                  WHERE status IN ({pending}) AND available_at <= {now} {from}
                    AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < {now-?}) {recent}
                  ORDER BY available_at LIMIT ? FOR UPDATE SKIP LOCKED) due) counted
              WHERE bytes_before < ?))
            RETURNING %s, CAST(EXTRACT(MILLISECONDS FROM locked_at - {now}) AS INTEGER), available_at
            """.formatted(EventRows.FORMER_LEASE, EventRows.COLUMNS_TO_CLAIM);
    private static final String CLAIM_PENDING = """
            UPDATE {table} SET locked_by = ?, locked_at = ?
            WHERE event_id = ANY (ARRAY(
              SELECT event_id FROM {table} WHERE %s
              ORDER BY created_at LIMIT ? FOR UPDATE SKIP LOCKED))
            RETURNING {columns}
            """.formatted(MarkingClaim.CLAIMABLE);
    private static final String FROM = "AND available_at >= ?";
    private static final String RECENT = "AND created_at <= {now-?}";

    private final EventTable table;
    private final EventRows rows;
    private final LargeValues largeValues;
    private final String allSql;
    private final String allOlderSql;
    private final String fromSql;
    private final String fromOlderSql;
    private final String claimPendingSql;
    private final ClaimStart start = new ClaimStart();

    ReturningClaim(EventTable table) {
        this.table = table;
        this.rows = new EventRows(table);
        this.largeValues = new LargeValues(table);
        SqlDialect dialect = table.dialect();
        String payload = dialect.bytes().replace("{column}", "payload");
        String headers = dialect.bytes().replace("{column}", "headers");
        String claim =
                LargeValues.measured(CLAIM, dialect).replace("{bytes}", payload + " + COALESCE(" + headers + ", 0)");
        this.allSql = table.sql(claim.replace("{from}", "").replace("{recent}", ""));
        this.allOlderSql = table.sql(claim.replace("{from}", "").replace("{recent}", RECENT));
        this.fromSql = table.sql(claim.replace("{from}", FROM).replace("{recent}", ""));
        this.claimPendingSql = table.sql(CLAIM_PENDING);
        this.fromOlderSql = table.sql(claim.replace("{from}", FROM).replace("{recent}", RECENT));
    }

    @Override
    public List<OutboxEvent> claim(
            Connection conn, String owner, Instant now, Instant lockExpiry, Duration skipRecent, int limit)
            throws SQLException {
        return EventRows.createdFirst(JdbcTemplate.updateReturning(
                conn,
                claimPendingSql,
                statement -> {
                    statement.setString(1, owner);
                    table.times().bind(statement, 2, now);
                    table.times().bind(statement, 3, now);
                    table.times().bind(statement, 4, now.minus(skipRecent));
                    table.times().bind(statement, 5, lockExpiry);
                    statement.setInt(6, limit);
                },
                table::read));
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, ClaimRequest request) throws SQLException {
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
                        table.times().bind(statement, index++, from);
                    }
                    statement.setLong(index++, SqlDialect.micros(request.leaseTime()));
                    if (!all) {
                        statement.setLong(index++, SqlDialect.micros(request.skipRecent()));
                    }
                    statement.setInt(index++, limit);
                    statement.setLong(index, request.maxBytes() - bytes.taken());
                },
                rows::readDue);
        claimed.forEach(row -> bytes.count(row.event()));
        return claimed;
    }
}
