package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import outbox.jdbc.JdbcTemplate;
import outbox.model.OutboxEvent;

/**
 * The claim of the specification for databases whose UPDATE does not return rows: mark the rows, then read what was
 * marked. The mark is a name nobody else has, so that rows the same owner took earlier, even at the same time, are not
 * mistaken for new ones; a last UPDATE writes the owner.
 */
final class MarkingClaim {
    /** Rows the specification lets a claim take; the parameters are now, now minus skipRecent, and lock expiry. */
    static final String CLAIMABLE = """
            status IN (0, 2) AND available_at <= ? AND created_at <= ?
              AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < ?)""";

    private static final String MARK_FIRST = """
            UPDATE {table} SET locked_by = ?, locked_at = ? WHERE %s ORDER BY created_at LIMIT ?
            """.formatted(CLAIMABLE);
    private static final String CANDIDATES = """
            SELECT event_id FROM {table} WHERE %s ORDER BY created_at LIMIT ?
            """.formatted(CLAIMABLE);
    private static final String MARK_CANDIDATES = """
            UPDATE {table} SET locked_by = ?, locked_at = ? WHERE %s AND event_id IN ({ids})
            """.formatted(CLAIMABLE);
    private static final String READ = """
            SELECT %s FROM {table} WHERE status IN (0, 2) AND locked_by = ? ORDER BY created_at
            """.formatted(EventRows.COLUMNS_TO_CLAIM);
    private static final String SIGN = """
            UPDATE {table} SET locked_by = ? WHERE event_id IN ({ids})
            """;
    private static final String FREE = """
            UPDATE {table} SET locked_by = NULL, locked_at = NULL WHERE status IN (0, 2) AND locked_by = ?
            """;

    /** How rows are marked. */
    enum Marking {
        /** {@code UPDATE … ORDER BY … LIMIT}, where the database knows it. */
        FIRST_ROWS,
        /** Choose the rows by a query, and check again when they are written. */
        CANDIDATES
    }

    private final EventRows rows;
    private final Marking marking;
    private final String markFirstSql;
    private final String candidatesSql;
    private final String markCandidatesSql;
    private final String readSql;
    private final String signSql;
    private final String freeSql;
    private final LargeValues largeValues;

    MarkingClaim(String table, SqlDialect dialect, EventRows rows, Marking marking) {
        this.rows = rows;
        this.marking = marking;
        this.markFirstSql = dialect.render(MARK_FIRST, table);
        this.candidatesSql = dialect.render(CANDIDATES, table);
        this.markCandidatesSql = dialect.render(MARK_CANDIDATES, table);
        this.readSql = dialect.render(LargeValues.claimed(READ, dialect), table);
        this.signSql = dialect.render(SIGN, table);
        this.freeSql = dialect.render(FREE, table);
        this.largeValues = new LargeValues(table, dialect);
    }

    /** The times that {@link #CLAIMABLE} speaks of. */
    private record Times(Instant now, Instant createdBefore, Instant lockExpiry) {}

    /** @param maxBytes see {@link outbox.spi.ClaimRequest#maxBytes} */
    List<OutboxEvent> claim(
            Connection conn,
            String owner,
            Instant now,
            Instant lockExpiry,
            Duration skipRecent,
            int limit,
            long maxBytes)
            throws SQLException {
        Times times = new Times(now, now.minus(skipRecent), lockExpiry);
        String mark = "claim:" + UUID.randomUUID();
        int marked = marking == Marking.FIRST_ROWS
                ? markFirst(conn, mark, times, limit)
                : markCandidates(conn, mark, times, limit);
        if (marked == 0) {
            return List.of();
        }
        List<OutboxEvent> read =
                JdbcTemplate.query(conn, readSql, statement -> statement.setString(1, mark), rows::read);
        List<OutboxEvent> claimed = new ClaimBytes(maxBytes).fitting(read, event -> event);
        for (InList ids :
                InList.split(claimed.stream().map(OutboxEvent::eventId).toList(), InList.LARGEST)) {
            JdbcTemplate.update(conn, signSql.replace("{ids}", ids.placeholders()), statement -> {
                statement.setString(1, owner);
                ids.bind(statement, 2);
            });
        }
        if (claimed.size() < read.size()) {
            JdbcTemplate.update(conn, freeSql, statement -> statement.setString(1, mark));
        }
        return largeValues.read(conn, claimed);
    }

    private int markFirst(Connection conn, String mark, Times times, int limit) throws SQLException {
        return JdbcTemplate.update(
                conn, markFirstSql, statement -> statement.setInt(bindMark(statement, mark, times), limit));
    }

    private int markCandidates(Connection conn, String mark, Times times, int limit) throws SQLException {
        List<String> candidates = JdbcTemplate.query(
                conn,
                candidatesSql,
                statement -> statement.setInt(bindTimes(statement, 1, times), limit),
                row -> row.getString(1));
        int marked = 0;
        for (InList ids : InList.split(candidates, InList.LARGEST)) {
            marked += JdbcTemplate.update(
                    conn,
                    markCandidatesSql.replace("{ids}", ids.placeholders()),
                    statement -> ids.bind(statement, bindMark(statement, mark, times)));
        }
        return marked;
    }

    private int bindMark(PreparedStatement statement, String mark, Times times) throws SQLException {
        statement.setString(1, mark);
        rows.times().bind(statement, 2, times.now());
        return bindTimes(statement, 3, times);
    }

    /** @return the index of the next parameter */
    private int bindTimes(PreparedStatement statement, int index, Times times) throws SQLException {
        rows.times().bind(statement, index, times.now());
        rows.times().bind(statement, index + 1, times.createdBefore());
        rows.times().bind(statement, index + 2, times.lockExpiry());
        return index + 3;
    }
}
