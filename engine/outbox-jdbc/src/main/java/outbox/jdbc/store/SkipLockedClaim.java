package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/**
 * Leases rows in two steps, for databases whose UPDATE does not return rows: lock what nobody else has locked, then
 * write the lease by key.
 *
 * <p>Each status is one range of the index {@code (status, available_at)}, read from its oldest end. Both at once would
 * mean sorting everything that waits. So that neither starves, retries may fill half of a claim (of one row, every
 * second time), new events all that is left, and retries again what is left then. The bytes of a claim are shared out in
 * the same way. Needs an index on {@code (status, available_at)}. Thread-safe.
 */
public final class SkipLockedClaim implements ClaimStrategy {
    /** Locks and reads rows of one status, where the database knows {@code ORDER BY … LIMIT … FOR UPDATE SKIP LOCKED}. */
    public static final String LOCK_IN_ORDER = lockDue("ORDER BY available_at LIMIT ? FOR UPDATE SKIP LOCKED");

    /** The same for a database that would lock all rows before it takes the first ones; the index range is in order. */
    public static final String LOCK_UNORDERED = lockDue("FETCH FIRST ? ROWS ONLY FOR UPDATE SKIP LOCKED");

    private static final String RECENT = "AND created_at <= {now-?}";
    private static final String FROM = "AND available_at >= ?";

    private final String lockSql;
    private final String lockOlderSql;
    private final String lockFromSql;
    private final String lockOlderFromSql;
    private final LeaseByKey lease;
    private final LargeValues largeValues;
    private final EventRows rows;
    private final AtomicInteger turn = new AtomicInteger();
    private final ClaimStart start = new ClaimStart();

    /**
     * @param lockRows {@link #LOCK_IN_ORDER}, or another form of it; parameters are owner, status, lease time and limit, and
     *     between the last two skipRecent and where to start, if {@code {recent}} stands for these conditions
     */
    public SkipLockedClaim(EventTable table, String lockRows) {
        this.rows = new EventRows(table);
        String lock = LargeValues.claimed(lockRows, table.dialect());
        this.lockSql = table.sql(lock.replace("{recent}", ""));
        this.lockOlderSql = table.sql(lock.replace("{recent}", RECENT));
        this.lockFromSql = table.sql(lock.replace("{recent}", FROM));
        this.lockOlderFromSql = table.sql(lock.replace("{recent}", RECENT + " " + FROM));
        this.lease = new LeaseByKey(table);
        this.largeValues = new LargeValues(table);
    }

    private static String lockDue(String firstRows) {
        return """
                SELECT %s, %s, available_at FROM {table}
                WHERE status = ? AND available_at <= {now}
                  AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < {now-?}) {recent}
                %s
                """.formatted(EventRows.COLUMNS_TO_CLAIM, EventRows.FORMER_LEASE, firstRows);
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, ClaimRequest request) throws SQLException {
        ClaimBytes retryBytes = new ClaimBytes(Math.max(1, request.maxBytes() / 2));
        int retryShare = (request.limit() + (turn.getAndIncrement() & 1)) / 2;
        List<EventRows.Due> claimed =
                new ArrayList<>(lockAndLease(conn, request, retryBytes, EventStatus.RETRY, null, retryShare));
        boolean moreRetries = claimed.size() == retryShare;
        int room = request.limit() - claimed.size();
        ClaimBytes bytes = new ClaimBytes(Math.max(1, request.maxBytes() - retryBytes.taken()));
        claimed.addAll(start.claim(
                room, bytes, (from, limit) -> lockAndLease(conn, request, bytes, EventStatus.NEW, from, limit)));
        if (moreRetries && claimed.size() < request.limit()) {
            int left = request.limit() - claimed.size();
            claimed.addAll(lockAndLease(conn, request, bytes, EventStatus.RETRY, null, left));
        }
        return largeValues.read(conn, EventRows.dueFirst(claimed));
    }

    /** Leased at once: a lock of our own would not keep the next query of this claim from finding the rows again. */
    private List<EventRows.Due> lockAndLease(
            Connection conn,
            ClaimRequest request,
            ClaimBytes bytes,
            EventStatus status,
            @Nullable Instant from,
            int limit)
            throws SQLException {
        if (limit == 0 || bytes.isSpent()) {
            return List.of();
        }
        List<EventRows.Due> locked = bytes.fitting(lock(conn, request, status, from, limit), EventRows.Due::event);
        lease.write(
                conn, request.owner(), locked.stream().map(EventRows.Due::event).toList());
        return locked;
    }

    private List<EventRows.Due> lock(
            Connection conn, ClaimRequest request, EventStatus status, @Nullable Instant from, int limit)
            throws SQLException {
        boolean all = request.skipRecent().isZero();
        String sql = from == null ? (all ? lockSql : lockOlderSql) : (all ? lockFromSql : lockOlderFromSql);
        return JdbcTemplate.query(
                conn,
                sql,
                statement -> {
                    int index = 1;
                    statement.setString(index++, request.owner());
                    statement.setInt(index++, status.code());
                    statement.setLong(index++, SqlDialect.micros(request.leaseTime()));
                    if (!all) {
                        statement.setLong(index++, SqlDialect.micros(request.skipRecent()));
                    }
                    if (from != null) {
                        rows.table().times().bind(statement, index++, from);
                    }
                    statement.setInt(index, limit);
                },
                rows::readDue);
    }
}
