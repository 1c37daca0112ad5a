package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialects;
import outbox.jdbc.TableNames;

/** Purges on PostgreSQL; locked rows are skipped until the next purge. Thread-safe. */
public final class PostgresEventPurger extends AbstractJdbcEventPurger {
    private static final String DELETE = """
            DELETE FROM {table} WHERE event_id = ANY (ARRAY(
              SELECT event_id FROM {table} WHERE {rows} ORDER BY {order} LIMIT ? FOR UPDATE SKIP LOCKED))
            """;

    public PostgresEventPurger() {
        this(TableNames.DEFAULT_TABLE);
    }

    public PostgresEventPurger(String tableName) {
        super(new EventTable(tableName, SqlDialects.POSTGRESQL), DELETE);
    }

    /**
     * With missing or old statistics, the planner must not collect and sort all delivered rows before it deletes the
     * first: the index already provides the order. In auto-commit mode the setting would only apply to its own
     * statement.
     */
    @Override
    protected void prepare(Connection conn) throws SQLException {
        if (!conn.getAutoCommit()) {
            JdbcTemplate.update(conn, "SET LOCAL enable_bitmapscan = off", JdbcTemplate.Binder.NOTHING);
        }
    }
}
