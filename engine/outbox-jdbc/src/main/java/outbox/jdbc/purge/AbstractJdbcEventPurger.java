package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.spi.RetentionPurger;

/**
 * Deletes terminal rows, DONE and DEAD, whose {@code COALESCE(done_at, created_at)} lies before a time, one batch per
 * call and in the caller's transaction. Immutable and thread-safe.
 */
public abstract class AbstractJdbcEventPurger implements RetentionPurger {
    private static final String PURGE = """
            DELETE FROM {table} WHERE event_id IN (
              SELECT event_id FROM {table} WHERE {rows} ORDER BY {order} LIMIT ?
            )
            """;

    private final EventTable table;
    private final String delete;

    /** A purger that selects its rows with a subselect. */
    protected AbstractJdbcEventPurger(EventTable table) {
        this(table, PURGE);
    }

    /**
     * A purger with its own statement.
     *
     * @param delete a DELETE with {@code {table}} in it, with {@code {rows}} for the condition, which has a time as its
     *     parameter, and with the limit as its next parameter; {@code {order}} is the column to sort by
     */
    protected AbstractJdbcEventPurger(EventTable table, String delete) {
        this.table = Objects.requireNonNull(table, "table");
        this.delete = table.sql(delete);
    }

    @Override
    public Optional<Instant> now(Connection conn) throws SQLException {
        return Optional.of(table.dialect().readClock(conn));
    }

    @Override
    public int purge(Connection conn, Cutoff cutoff, int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException("limit must be positive: " + limit);
        }
        try {
            prepare(conn);
            int deleted = 0;
            for (TerminalRows rows : TerminalRows.of(cutoff)) {
                if (deleted < limit) {
                    deleted += delete(conn, rows.in(delete), rows.before(cutoff), limit - deleted);
                }
            }
            return deleted;
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "purge of " + table + " before " + cutoff + " failed: SQLState " + e.getSQLState() + ", error "
                            + e.getErrorCode() + " (see the cause)",
                    e);
        }
    }

    /** Called before the statements of a batch; does nothing by default. */
    protected void prepare(Connection conn) throws SQLException {}

    private int delete(Connection conn, String sql, Instant before, int limit) throws SQLException {
        return JdbcTemplate.update(conn, sql, statement -> {
            table.times().bind(statement, 1, before);
            statement.setInt(2, limit);
        });
    }

    public final String tableName() {
        return table.name();
    }
}
