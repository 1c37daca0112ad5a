package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;

/** Handler progress in the table of outbox-idempotency, if it exists. Thread-safe. */
final class TableProgress implements HandlerRetries {
    private final Flavor flavor;
    private final String table;
    private volatile boolean found;

    TableProgress(Flavor flavor, String table) {
        this.flavor = flavor;
        this.table = table;
    }

    /** Attempts first: MySQL evaluates assignments from left to right, with the new values. */
    @Override
    public void retryNow(Connection conn, String eventId) throws SQLException {
        if (exists(conn)) {
            new Sql(
                            flavor,
                            "UPDATE " + table + " SET attempts = CASE WHEN state = 3 THEN 0 ELSE attempts END,"
                                    + " state = 2, next_attempt_at = " + flavor.now() + ", updated_at = "
                                    + flavor.now() + " WHERE event_id = ? AND state IN (2, 3)",
                            eventId)
                    .update(conn);
        }
    }

    /** The table may be created at any time. On PostgreSQL, querying a missing table would abort the transaction. */
    private boolean exists(Connection conn) throws SQLException {
        if (!found) {
            Savepoint before = conn.setSavepoint();
            found = JdbcOutboxStores.hasTable(conn, table);
            conn.rollback(before);
        }
        return found;
    }
}
