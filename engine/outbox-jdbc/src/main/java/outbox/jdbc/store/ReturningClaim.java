package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/**
 * Claims rows on PostgreSQL in one round trip, by the database's clock or by given times. The statement sums the sizes
 * of the locked rows, and leases and returns only those that fit. RETURNING only sees the new values, so rows that had
 * an owner get a lease time one or two milliseconds later than the others, which marks them. Thread-safe.
 */
final class ReturningClaim implements ClaimStrategy, PendingClaimStrategy {
    /**
     * With missing or outdated statistics the planner expects few pending rows and would collect and sort all of them
     * before it takes the first; the index already provides the order. Applies until the transaction ends.
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
                  WHERE status IN ({pending}) AND available_at <= {now}
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
    private final EventTable table;
    private final EventRows rows;
    private final LargeValues largeValues;
    private final DueRange.Statement claim;
    private final String claimPendingSql;
    private final ClaimStart start = ClaimStart.byDueTime();

    ReturningClaim(EventTable table) {
        this.table = table;
        this.rows = new EventRows(table);
        this.largeValues = new LargeValues(table);
        SqlDialect dialect = table.dialect();
        String payload = dialect.bytes().replace("{column}", "payload");
        String headers = dialect.bytes().replace("{column}", "headers");
        String measured =
                LargeValues.measured(CLAIM, dialect).replace("{bytes}", payload + " + COALESCE(" + headers + ", 0)");
        this.claim = new DueRange.Statement(table, measured);
        this.claimPendingSql = table.sql(CLAIM_PENDING);
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
        DueReader reader =
                new DueReader(table, conn, request, (range, limit) -> claim(conn, request, bytes, range, limit));
        return largeValues.read(conn, EventRows.dueFirst(start.claim(request.limit(), bytes, reader)));
    }

    private List<EventRows.Due> claim(
            Connection conn, ClaimRequest request, ClaimBytes bytes, DueRange range, int limit) throws SQLException {
        List<EventRows.Due> claimed = JdbcTemplate.updateReturning(
                conn,
                claim.sql(range),
                statement -> {
                    statement.setString(1, request.owner());
                    statement.setString(2, request.owner());
                    statement.setLong(3, SqlDialect.micros(request.leaseTime()));
                    int index = claim.bind(statement, 4, range);
                    statement.setInt(index++, limit);
                    statement.setLong(index, request.maxBytes() - bytes.taken());
                },
                rows::readDue);
        claimed.forEach(row -> bytes.count(row.event()));
        return claimed;
    }
}
