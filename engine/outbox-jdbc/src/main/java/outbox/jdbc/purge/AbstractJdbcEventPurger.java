package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;
import outbox.spi.EventPurger;

/**
 * Deletes terminal rows, DONE and DEAD, whose {@code COALESCE(done_at, created_at)} lies before a time, one batch per
 * call and in the caller's transaction. Immutable and thread-safe.
 */
public abstract class AbstractJdbcEventPurger implements EventPurger {
    private static final String PURGE = """
            DELETE FROM {table} WHERE event_id IN (
              SELECT event_id FROM {table}
              WHERE status IN (1, 3) AND COALESCE(done_at, created_at) < ?
              ORDER BY created_at LIMIT ?
            )
            """;

    private final String table;
    private final TimeColumns times;
    private final List<String> statements;

    /** A purger that chooses its rows by a subselect. */
    protected AbstractJdbcEventPurger(String tableName, TimeColumns times) {
        this(tableName, times, PURGE);
    }

    /**
     * A purger with statements of its own.
     *
     * @param statements DELETEs with {@code {table}} in them whose parameters are the time and the limit; the next one
     *     runs when those before it have not filled the batch
     */
    protected AbstractJdbcEventPurger(String tableName, TimeColumns times, String... statements) {
        this.table = TableNames.validate(tableName);
        this.times = Objects.requireNonNull(times, "times");
        this.statements = Arrays.stream(statements)
                .map(sql -> sql.strip().replace("{table}", table))
                .toList();
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException("limit must be positive: " + limit);
        }
        try {
            prepare(conn);
            int deleted = 0;
            for (String sql : statements) {
                if (deleted < limit) {
                    deleted += delete(conn, sql, before, limit - deleted);
                }
            }
            return deleted;
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "purge of " + table + " before " + before + " failed: SQLState " + e.getSQLState() + ", error "
                            + e.getErrorCode() + " (see the cause)",
                    e);
        }
    }

    /** Called before the statements of a batch. */
    void prepare(Connection conn) throws SQLException {}

    private int delete(Connection conn, String sql, Instant before, int limit) throws SQLException {
        return JdbcTemplate.update(conn, sql, statement -> {
            times.bind(statement, 1, before);
            statement.setInt(2, limit);
        });
    }

    public final String tableName() {
        return table;
    }
}
