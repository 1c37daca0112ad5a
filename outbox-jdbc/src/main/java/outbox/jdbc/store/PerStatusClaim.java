package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.jdbc.JdbcTemplate;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/**
 * Leases rows in two steps, for databases whose UPDATE does not return rows: lock what nobody else has locked, then
 * write the lease by key.
 *
 * <p>Each status is one range of the index {@code (status, available_at)}, read from its oldest end. Both at once would
 * mean sorting everything that waits. So that neither starves, retries may fill half of a claim (of one row, every
 * second time), new events all that is left, and retries again what is left then.
 */
final class PerStatusClaim {
    private static final String LEASE = """
            UPDATE {table} SET locked_by = ?, locked_at = {now} WHERE event_id IN ({ids})
            """;

    private final String lockSql;
    private final String lockOlderSql;
    private final String leaseSql;
    private final EventRows rows;
    private final AtomicInteger turn = new AtomicInteger();

    /**
     * @param lock statement that locks and reads rows of one status; parameters are status, lease time and limit, and
     *     skipRecent between the last two where {@code {recent}} stands for its condition
     */
    PerStatusClaim(String table, SqlDialect dialect, EventRows rows, String lock) {
        this.rows = rows;
        this.lockSql = dialect.render(lock.replace("{recent}", ""), table);
        this.lockOlderSql = dialect.render(lock.replace("{recent}", "AND created_at <= {now-?}"), table);
        this.leaseSql = dialect.render(LEASE, table);
    }

    List<OutboxEvent> claim(Connection conn, ClaimRequest request) throws SQLException {
        int retryShare = (request.limit() + (turn.getAndIncrement() & 1)) / 2;
        List<EventRows.Due> locked = new ArrayList<>(lock(conn, request, EventStatus.RETRY, retryShare));
        boolean moreRetries = locked.size() == retryShare;
        locked.addAll(lock(conn, request, EventStatus.NEW, request.limit() - locked.size()));
        lease(conn, request.owner(), locked);
        if (moreRetries && locked.size() < request.limit()) {
            // What was locked above is leased by now, so that this query does not find it again.
            List<EventRows.Due> more = lock(conn, request, EventStatus.RETRY, request.limit() - locked.size());
            lease(conn, request.owner(), more);
            locked.addAll(more);
        }
        return EventRows.dueFirst(locked);
    }

    private List<EventRows.Due> lock(Connection conn, ClaimRequest request, EventStatus status, int limit)
            throws SQLException {
        if (limit == 0) {
            return List.of();
        }
        boolean all = request.skipRecent().isZero();
        return JdbcTemplate.query(
                conn,
                all ? lockSql : lockOlderSql,
                statement -> {
                    int index = 1;
                    statement.setInt(index++, status.code());
                    statement.setLong(index++, Micros.of(request.leaseTime()));
                    if (!all) {
                        statement.setLong(index++, Micros.of(request.skipRecent()));
                    }
                    statement.setInt(index, limit);
                },
                rows::readDue);
    }

    private void lease(Connection conn, String owner, List<EventRows.Due> locked) throws SQLException {
        List<String> ids = locked.stream().map(row -> row.event().eventId()).toList();
        for (InList list : InList.split(ids, InList.LARGEST)) {
            JdbcTemplate.update(conn, leaseSql.replace("{ids}", list.placeholders()), statement -> {
                statement.setString(1, owner);
                list.bind(statement, 2);
            });
        }
    }
}
