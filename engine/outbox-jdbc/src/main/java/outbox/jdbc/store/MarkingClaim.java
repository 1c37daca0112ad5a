package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/**
 * Claims without {@code SKIP LOCKED} and {@code RETURNING}, as in the specification, by given times or the database's
 * clock: marks the rows, then reads the marked ones. The mark is unique, so that rows claimed earlier by the same owner
 * are not mistaken for new ones; it ends with the number of the row's {@link outbox.model.FormerLease}. A last UPDATE
 * writes the owner. Works on any database; concurrent claims wait for each other. Immutable and thread-safe.
 */
public final class MarkingClaim implements ClaimStrategy, PendingClaimStrategy {
    /** Later than any event was created; the clocks of writers may be ahead. */
    private static final Instant NO_LIMIT = Instant.parse("9999-12-31T23:59:59Z");

    /** Rows that can be claimed by the specification; the parameters are now, now minus skipRecent, and lock expiry. */
    static final String CLAIMABLE = """
            status IN ({pending}) AND available_at <= ? AND created_at <= ?
              AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < ?)""";

    /** In this order: MySQL assigns from left to right. */
    private static final String MARK = "locked_by = CONCAT(?, CASE WHEN locked_by IS NULL OR locked_at IS NULL THEN '0'"
            + " WHEN locked_by = ? THEN '1' ELSE '2' END), locked_at = ?";

    private static final String MARK_FIRST = """
            UPDATE {table} SET %s WHERE %s ORDER BY {order} LIMIT ?
            """.formatted(MARK, CLAIMABLE);
    private static final String CANDIDATES = """
            SELECT event_id FROM {table} WHERE %s ORDER BY {order} LIMIT ?
            """.formatted(CLAIMABLE);
    private static final String MARK_CANDIDATES = """
            UPDATE {table} SET %s WHERE %s AND event_id IN ({ids})
            """.formatted(MARK, CLAIMABLE);
    private static final String READ = """
            SELECT %s, CASE WHEN locked_by = ? THEN 0 WHEN locked_by = ? THEN 1 ELSE 2 END FROM {table}
            WHERE status IN ({pending}) AND locked_by IN (?, ?, ?) ORDER BY {order}
            """.formatted(EventRows.COLUMNS_TO_CLAIM);
    private static final String SIGN = """
            UPDATE {table} SET locked_by = ? WHERE event_id IN ({ids})
            """;
    private static final String FREE = """
            UPDATE {table} SET locked_by = NULL, locked_at = NULL WHERE status IN ({pending}) AND locked_by IN (?, ?, ?)
            """;

    /** How rows are marked. */
    public enum Marking {
        /** {@code UPDATE … ORDER BY … LIMIT}, if the database supports it. */
        FIRST_ROWS,
        /** Selects the rows with a query, and checks them again when they are written. */
        CANDIDATES
    }

    private final EventTable table;
    private final EventRows rows;
    private final Marking marking;
    private final String markFirstSql;
    private final String candidatesSql;
    private final String markCandidatesSql;
    private final String readSql;
    private final String signSql;
    private final String freeSql;
    private final LargeValues largeValues;

    public MarkingClaim(EventTable table, Marking marking) {
        this.table = table;
        this.rows = new EventRows(table);
        this.marking = marking;
        this.markFirstSql = table.sql(MARK_FIRST);
        this.candidatesSql = table.sql(CANDIDATES);
        this.markCandidatesSql = table.sql(MARK_CANDIDATES);
        this.readSql = table.sql(LargeValues.claimed(READ, table.dialect()));
        this.signSql = table.sql(SIGN);
        this.freeSql = table.sql(FREE);
        this.largeValues = new LargeValues(table);
    }

    /** The time parameters of {@link #CLAIMABLE}. */
    private record Times(Instant now, Instant createdBefore, Instant lockExpiry) {}

    @Override
    public List<OutboxEvent> claim(
            Connection conn, String owner, Instant now, Instant lockExpiry, Duration skipRecent, int limit)
            throws SQLException {
        Times times = new Times(now, now.minus(skipRecent), lockExpiry);
        return claim(conn, owner, times, limit, Long.MAX_VALUE, table::read, "created_at");
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, ClaimRequest request) throws SQLException {
        Instant now = table.dialect().readClock(conn);
        Instant createdBefore = request.skipRecent().isZero() ? NO_LIMIT : now.minus(request.skipRecent());
        Times times = new Times(now, createdBefore, now.minus(request.leaseTime()));
        return claim(
                conn,
                request.owner(),
                times,
                request.limit(),
                request.maxBytes(),
                rows::readClaimed,
                "available_at, event_id");
    }

    private List<OutboxEvent> claim(
            Connection conn,
            String owner,
            Times times,
            int limit,
            long maxBytes,
            JdbcTemplate.RowMapper<OutboxEvent> reader,
            String order)
            throws SQLException {
        String mark = "claim:" + UUID.randomUUID();
        int marked = marking == Marking.FIRST_ROWS
                ? markFirst(conn, mark, owner, times, limit, order)
                : markCandidates(conn, mark, owner, times, limit, order);
        if (marked == 0) {
            return List.of();
        }
        List<OutboxEvent> read = JdbcTemplate.query(
                conn,
                readSql.replace("{order}", order),
                statement -> {
                    bindMarks(statement, 1, 2, mark);
                    bindMarks(statement, 3, 3, mark);
                },
                reader);
        List<OutboxEvent> claimed = new ClaimBytes(maxBytes).fitting(read, event -> event);
        for (InList ids :
                InList.split(claimed.stream().map(OutboxEvent::eventId).toList(), InList.LARGEST)) {
            JdbcTemplate.update(conn, signSql.replace("{ids}", ids.placeholders()), statement -> {
                statement.setString(1, owner);
                ids.bind(statement, 2);
            });
        }
        if (claimed.size() < read.size()) {
            JdbcTemplate.update(conn, freeSql, statement -> bindMarks(statement, 1, 3, mark));
        }
        return largeValues.read(conn, claimed);
    }

    private static void bindMarks(PreparedStatement statement, int index, int count, String mark) throws SQLException {
        for (int i = 0; i < count; i++) {
            statement.setString(index + i, mark + i);
        }
    }

    private int markFirst(Connection conn, String mark, String owner, Times times, int limit, String order)
            throws SQLException {
        return JdbcTemplate.update(
                conn,
                markFirstSql.replace("{order}", order),
                statement -> statement.setInt(bindMark(statement, mark, owner, times), limit));
    }

    private int markCandidates(Connection conn, String mark, String owner, Times times, int limit, String order)
            throws SQLException {
        List<String> candidates = JdbcTemplate.query(
                conn,
                candidatesSql.replace("{order}", order),
                statement -> statement.setInt(bindTimes(statement, 1, times), limit),
                row -> row.getString(1));
        int marked = 0;
        for (InList ids : InList.split(candidates, InList.LARGEST)) {
            marked += JdbcTemplate.update(
                    conn,
                    markCandidatesSql.replace("{ids}", ids.placeholders()),
                    statement -> ids.bind(statement, bindMark(statement, mark, owner, times)));
        }
        return marked;
    }

    private int bindMark(PreparedStatement statement, String mark, String owner, Times times) throws SQLException {
        statement.setString(1, mark);
        statement.setString(2, owner);
        table.times().bind(statement, 3, times.now());
        return bindTimes(statement, 4, times);
    }

    /** @return the index of the next parameter */
    private int bindTimes(PreparedStatement statement, int index, Times times) throws SQLException {
        table.times().bind(statement, index, times.now());
        table.times().bind(statement, index + 1, times.createdBefore());
        table.times().bind(statement, index + 2, times.lockExpiry());
        return index + 3;
    }
}
