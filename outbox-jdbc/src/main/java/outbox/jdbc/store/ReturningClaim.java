package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/**
 * Leases rows on PostgreSQL in one round trip. Thread-safe.
 *
 * <h2>Why it remembers where it was</h2>
 *
 * Pending rows are read from the old end of their index, and that is where the entries of delivered ones are left
 * behind. Vacuum removes them, but not as long as any transaction in the database is old enough to see those rows: while
 * somebody's report runs for an hour, every claim would wade through all that was delivered meanwhile. So a claim that
 * was filled up, which means that more is waiting, lets the next ones start where it found its first row.
 *
 * <p>Rows before that place exist: released ones, expired leases, inserts that were committed late. They are found by
 * reading from the start, which happens again as soon as a claim is not filled up, and otherwise after {@value #PATIENCE}
 * times as long as it took the last time: reading from the start takes at most a fifth of the time, however slow it is.
 */
final class ReturningClaim {
    private static final int PATIENCE = 4;

    private static final String CLAIM = PostgresOutboxStore.NO_BITMAPS + """
            ;
            UPDATE {table} SET locked_by = ?, locked_at = {now}
            WHERE event_id = ANY (ARRAY(
              SELECT event_id FROM {table}
              WHERE status IN (0, 2) AND available_at <= {now} {from}
                AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < {now-?}) {recent}
              ORDER BY available_at LIMIT ? FOR UPDATE SKIP LOCKED))
            RETURNING %s, available_at
            """.formatted(EventRows.COLUMNS);
    private static final String FROM = "AND available_at >= ?";
    private static final String RECENT = "AND created_at <= {now-?}";

    private final EventRows rows;
    private final String allSql;
    private final String allOlderSql;
    private final String fromSql;
    private final String fromOlderSql;
    private volatile @Nullable Place place;

    /** Where a claim may start, and until when. */
    private record Place(Instant from, long untilNanos) {}

    ReturningClaim(String table, SqlDialect dialect, EventRows rows) {
        this.rows = rows;
        this.allSql = dialect.render(CLAIM.replace("{from}", "").replace("{recent}", ""), table);
        this.allOlderSql = dialect.render(CLAIM.replace("{from}", "").replace("{recent}", RECENT), table);
        this.fromSql = dialect.render(CLAIM.replace("{from}", FROM).replace("{recent}", ""), table);
        this.fromOlderSql = dialect.render(CLAIM.replace("{from}", FROM).replace("{recent}", RECENT), table);
    }

    List<OutboxEvent> claim(Connection conn, ClaimRequest request) throws SQLException {
        Place known = place;
        long start = System.nanoTime();
        if (known == null || start - known.untilNanos() >= 0) {
            List<EventRows.Due> claimed = claim(conn, request, null, request.limit());
            long end = System.nanoTime();
            place = isFull(claimed, request) ? new Place(first(claimed), end + PATIENCE * (end - start)) : null;
            return EventRows.dueFirst(claimed);
        }
        List<EventRows.Due> claimed = new ArrayList<>(claim(conn, request, known.from(), request.limit()));
        if (isFull(claimed, request)) {
            place = new Place(first(claimed), known.untilNanos());
        } else {
            place = null;
            claimed.addAll(claim(conn, request, null, request.limit() - claimed.size()));
        }
        return EventRows.dueFirst(claimed);
    }

    private static boolean isFull(List<EventRows.Due> claimed, ClaimRequest request) {
        return claimed.size() == request.limit();
    }

    private static Instant first(List<EventRows.Due> claimed) {
        return Collections.min(claimed, Comparator.comparing(EventRows.Due::availableAt))
                .availableAt();
    }

    private List<EventRows.Due> claim(Connection conn, ClaimRequest request, @Nullable Instant from, int limit)
            throws SQLException {
        boolean all = request.skipRecent().isZero();
        String sql = from == null ? (all ? allSql : allOlderSql) : (all ? fromSql : fromOlderSql);
        return JdbcTemplate.updateReturning(
                conn,
                sql,
                statement -> {
                    int index = 1;
                    statement.setString(index++, request.owner());
                    if (from != null) {
                        rows.times().bind(statement, index++, from);
                    }
                    statement.setLong(index++, Micros.of(request.leaseTime()));
                    if (!all) {
                        statement.setLong(index++, Micros.of(request.skipRecent()));
                    }
                    statement.setInt(index, limit);
                },
                rows::readDue);
    }
}
