package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
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
    private final String purgeSql;

    /** A purger that chooses its rows by a subselect. */
    protected AbstractJdbcEventPurger(String tableName, TimeColumns times) {
        this(tableName, times, PURGE);
    }

    /** @param purgeSql a DELETE with {@code {table}} in it whose parameters are the time and the limit */
    protected AbstractJdbcEventPurger(String tableName, TimeColumns times, String purgeSql) {
        this.table = TableNames.validate(tableName);
        this.times = times;
        this.purgeSql = purgeSql.strip().replace("{table}", table);
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException("limit must be positive: " + limit);
        }
        try {
            return JdbcTemplate.update(conn, purgeSql, statement -> {
                times.bind(statement, 1, before);
                statement.setInt(2, limit);
            });
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "purge of " + table + " before " + before + " failed: SQLState " + e.getSQLState(), e);
        }
    }

    public final String tableName() {
        return table;
    }
}
