package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/**
 * Claims rows in two steps, for databases whose UPDATE does not return rows: lock unlocked rows, then write the leases
 * by key.
 *
 * <p>Each status is one range of the index {@code (status, available_at)}, read from its oldest entry. Reading both at
 * once would sort all pending rows. So that neither starves, retries may use half of a claim (of one row, every second
 * time), new events the rest, and retries again what is left then. The bytes of a claim are divided in the same way.
 * Needs an index on {@code (status, available_at)}. Thread-safe.
 */
public final class SkipLockedClaim implements ClaimStrategy {
    /** Locks and reads rows of one status, for databases with {@code ORDER BY … LIMIT … FOR UPDATE SKIP LOCKED}. */
    public static final String LOCK_IN_ORDER = lockDue("ORDER BY available_at LIMIT ? FOR UPDATE SKIP LOCKED");

    /** The same for databases that would lock all rows before they take the first ones; the index range is ordered. */
    public static final String LOCK_UNORDERED = lockDue("FETCH FIRST ? ROWS ONLY FOR UPDATE SKIP LOCKED");

    private final DueRange.Statement lock;
    private final LeaseByKey lease;
    private final LargeValues largeValues;
    private final EventRows rows;
    private final AtomicInteger turn = new AtomicInteger();
    private final ClaimStart start = ClaimStart.byDueTime();

    /**
     * @param lockRows {@link #LOCK_IN_ORDER}, or another form of it; parameters are owner, status, lease time and limit, and
     *     between the last two those of the conditions that {@code {recent}} stands for
     */
    public SkipLockedClaim(EventTable table, String lockRows) {
        this.rows = new EventRows(table);
        this.lock = new DueRange.Statement(table, LargeValues.claimed(lockRows, table.dialect()));
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
        DueRange all = new DueRange(request.skipRecent(), null, null);
        ClaimBytes retryBytes = new ClaimBytes(Math.max(1, request.maxBytes() / 2));
        int retryShare = (request.limit() + (turn.getAndIncrement() & 1)) / 2;
        List<EventRows.Due> claimed =
                new ArrayList<>(lockAndLease(conn, request, retryBytes, EventStatus.RETRY, all, retryShare));
        boolean moreRetries = claimed.size() == retryShare;
        int room = request.limit() - claimed.size();
        ClaimBytes bytes = new ClaimBytes(Math.max(1, request.maxBytes() - retryBytes.taken()));
        DueReader reader = new DueReader(
                rows.table(),
                conn,
                request,
                (range, limit) -> lockAndLease(conn, request, bytes, EventStatus.NEW, range, limit));
        claimed.addAll(start.claim(room, bytes, reader));
        if (moreRetries && claimed.size() < request.limit()) {
            int left = request.limit() - claimed.size();
            claimed.addAll(lockAndLease(conn, request, bytes, EventStatus.RETRY, all, left));
        }
        return largeValues.read(conn, EventRows.dueFirst(claimed));
    }

    /** Leases the rows at once: the next query of this claim ignores its own locks and would find them again. */
    private List<EventRows.Due> lockAndLease(
            Connection conn, ClaimRequest request, ClaimBytes bytes, EventStatus status, DueRange range, int limit)
            throws SQLException {
        if (limit == 0 || bytes.isSpent()) {
            return List.of();
        }
        List<EventRows.Due> locked = bytes.fitting(lock(conn, request, status, range, limit), EventRows.Due::event);
        lease.write(
                conn, request.owner(), locked.stream().map(EventRows.Due::event).toList());
        return locked;
    }

    private List<EventRows.Due> lock(
            Connection conn, ClaimRequest request, EventStatus status, DueRange range, int limit) throws SQLException {
        return JdbcTemplate.query(
                conn,
                lock.sql(range),
                statement -> {
                    statement.setString(1, request.owner());
                    statement.setInt(2, status.code());
                    statement.setLong(3, SqlDialect.micros(request.leaseTime()));
                    statement.setInt(lock.bind(statement, 4, range), limit);
                },
                rows::readDue);
    }
}
