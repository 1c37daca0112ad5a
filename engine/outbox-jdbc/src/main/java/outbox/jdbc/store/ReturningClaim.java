package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/** Leases rows on PostgreSQL in one round trip. Thread-safe. */
final class ReturningClaim {
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
    private final ClaimStart start = new ClaimStart();

    ReturningClaim(String table, SqlDialect dialect, EventRows rows) {
        this.rows = rows;
        this.allSql = dialect.render(CLAIM.replace("{from}", "").replace("{recent}", ""), table);
        this.allOlderSql = dialect.render(CLAIM.replace("{from}", "").replace("{recent}", RECENT), table);
        this.fromSql = dialect.render(CLAIM.replace("{from}", FROM).replace("{recent}", ""), table);
        this.fromOlderSql = dialect.render(CLAIM.replace("{from}", FROM).replace("{recent}", RECENT), table);
    }

    List<OutboxEvent> claim(Connection conn, ClaimRequest request) throws SQLException {
        return EventRows.dueFirst(start.claim(request.limit(), (from, limit) -> claim(conn, request, from, limit)));
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
