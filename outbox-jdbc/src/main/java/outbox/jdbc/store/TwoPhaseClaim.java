package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import outbox.jdbc.JdbcTemplate;
import outbox.model.OutboxEvent;

/**
 * The claim of the specification for databases whose UPDATE does not return rows: one UPDATE marks the rows, one SELECT
 * reads what it marked. The mark is a name nobody else has, so that rows the same owner took earlier, even at the same
 * time, are not mistaken for new ones; a last UPDATE writes the owner.
 */
final class TwoPhaseClaim {
    /** Rows the specification lets a claim take; the parameters are now, now minus skipRecent, and lock expiry. */
    static final String CLAIMABLE = """
            status IN (0, 2) AND available_at <= ? AND created_at <= ?
              AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < ?)""";

    private static final String READ = """
            SELECT %s FROM {table} WHERE status IN (0, 2) AND locked_by = ? ORDER BY created_at
            """.formatted(EventRows.COLUMNS);
    private static final String SIGN = """
            UPDATE {table} SET locked_by = ? WHERE event_id IN ({ids})
            """;

    private final EventRows rows;
    private final String markSql;
    private final boolean checkedTwice;
    private final String readSql;
    private final String signSql;

    /**
     * @param mark the first UPDATE; its parameters are mark, lock time, those of {@link #CLAIMABLE}, limit, and, where
     *     {@code checkedTwice}, those of {@link #CLAIMABLE} once more
     */
    TwoPhaseClaim(String table, SqlDialect dialect, EventRows rows, String mark, boolean checkedTwice) {
        this.rows = rows;
        this.markSql = dialect.render(mark, table);
        this.checkedTwice = checkedTwice;
        this.readSql = dialect.render(READ, table);
        this.signSql = dialect.render(SIGN, table);
    }

    List<OutboxEvent> claim(
            Connection conn, String owner, Instant now, Instant lockExpiry, Duration skipRecent, int limit)
            throws SQLException {
        String mark = "claim:" + UUID.randomUUID();
        int marked = JdbcTemplate.update(conn, markSql, statement -> {
            statement.setString(1, mark);
            rows.times().bind(statement, 2, now);
            int index = 3;
            for (int check = 0; check < (checkedTwice ? 2 : 1); check++) {
                rows.times().bind(statement, index++, now);
                rows.times().bind(statement, index++, now.minus(skipRecent));
                rows.times().bind(statement, index++, lockExpiry);
                if (check == 0) {
                    statement.setInt(index++, limit);
                }
            }
        });
        if (marked == 0) {
            return List.of();
        }
        List<OutboxEvent> claimed = new ArrayList<>(
                JdbcTemplate.query(conn, readSql, statement -> statement.setString(1, mark), rows::read));
        for (InList ids :
                InList.split(claimed.stream().map(OutboxEvent::eventId).toList(), InList.LARGEST)) {
            JdbcTemplate.update(conn, signSql.replace("{ids}", ids.placeholders()), statement -> {
                statement.setString(1, owner);
                ids.bind(statement, 2);
            });
        }
        return claimed;
    }
}
