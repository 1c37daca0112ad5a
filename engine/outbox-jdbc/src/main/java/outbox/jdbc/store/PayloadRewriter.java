package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.UnaryOperator;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.model.OutboxEvent;
import outbox.spi.StoredPayload;

/**
 * Rewrites payload and headers of rows, whatever their status, for instance for a key rotation. Runs in the caller's
 * transaction. Immutable and thread-safe.
 */
public final class PayloadRewriter {
    private static final String PAGE = """
            SELECT {columns} FROM {table} WHERE event_id > ? ORDER BY event_id LIMIT ?
            """;
    private static final String LOCK = """
            SELECT {columns} FROM {table} WHERE event_id = ? FOR UPDATE
            """;
    private static final String REWRITE = """
            UPDATE {table} SET payload = {json}, headers = {json} WHERE event_id = ?
            """;

    private final AbstractJdbcOutboxStore store;
    private final String pageSql;
    private final String lockSql;
    private final String rewriteSql;

    public PayloadRewriter(AbstractJdbcOutboxStore store) {
        this.store = store;
        this.pageSql = store.table().sql(PAGE);
        this.lockSql = store.table().sql(LOCK);
        this.rewriteSql = store.table().sql(REWRITE);
    }

    /**
     * Rows of the table in the order of their ids, without locking them.
     *
     * @param eventId the last id of the previous page; empty for the first page
     */
    public List<OutboxEvent> pageAfter(Connection conn, String eventId, int limit) {
        try {
            return JdbcTemplate.query(
                    conn,
                    pageSql,
                    statement -> {
                        statement.setString(1, eventId);
                        statement.setInt(2, limit);
                    },
                    store.table()::read);
        } catch (SQLException e) {
            throw SqlErrors.failed("pageAfter", store.table(), eventId, e);
        }
    }

    /**
     * Reads and locks a row, applies {@code change}, and stores its payload and headers.
     *
     * @return whether the row still exists
     */
    public boolean rewrite(Connection conn, String eventId, UnaryOperator<EventEnvelope> change) {
        try {
            List<OutboxEvent> rows = JdbcTemplate.query(
                    conn, lockSql, statement -> statement.setString(1, eventId), store.table()::read);
            for (OutboxEvent row : rows) {
                EventEnvelope changed = change.apply(StoredPayload.eventOf(row, store.jsonCodec()));
                JdbcTemplate.update(conn, rewriteSql, statement -> {
                    statement.setString(1, StoredPayload.encode(changed));
                    statement.setString(2, StoredPayload.encodeHeaders(changed, store.jsonCodec()));
                    statement.setString(3, eventId);
                });
            }
            return !rows.isEmpty();
        } catch (SQLException e) {
            throw SqlErrors.failed("rewrite", store.table(), eventId, e);
        }
    }
}
