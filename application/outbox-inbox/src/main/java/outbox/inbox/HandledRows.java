package outbox.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.SqlDialect;
import outbox.util.JsonCodec;
import outbox.util.StoredError;

/** Inserts rows of messages that need no delivery: handled ones, and dead letters. Immutable and thread-safe. */
final class HandledRows {
    /** Where a duplicate would abort the transaction, it is no error. */
    private static final String INSERT = """
            INSERT INTO {table} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              last_error, status, attempts, available_at, created_at, done_at)
            VALUES (?, ?, ?, ?, ?, {json}, {json}, ?, %s, %s, {now}, {now}, {now}) {unless exists}
            """;

    private final SqlDialect dialect;
    private final String table;
    private final JsonCodec codec;
    private final String handledSql;
    private final String deadSql;

    HandledRows(EventTable table, JsonCodec codec) {
        this.dialect = table.dialect().unprepared();
        this.table = table.name();
        this.codec = codec;
        this.handledSql = dialect.render(EventTable.fill(INSERT.formatted("{done}", "1")), table.name());
        this.deadSql = dialect.render(EventTable.fill(INSERT.formatted("{dead}", "1")), table.name());
    }

    /** @return {@code false} if there is such a row already; the transaction can go on */
    boolean insertHandled(Connection connection, EventEnvelope row) {
        return insert(connection, handledSql, row, null);
    }

    /** @return {@code false} if there is such a row already; the transaction can go on */
    boolean insertDead(Connection connection, EventEnvelope row, Throwable cause) {
        return insert(connection, deadSql, row, StoredError.of(cause));
    }

    private boolean insert(Connection connection, String sql, EventEnvelope row, @Nullable String error) {
        try {
            return JdbcTemplate.update(connection, sql, statement -> bind(statement, row, error)) > 0;
        } catch (SQLException e) {
            if (dialect.isDuplicateKey(e)) { // on MySQL, MariaDB and H2 only the statement failed
                return false;
            }
            throw new OutboxStoreException(
                    "cannot record message " + row.eventId() + " in " + table + "; do not acknowledge it", e);
        }
    }

    private void bind(PreparedStatement statement, EventEnvelope row, @Nullable String error) throws SQLException {
        int next = EventTable.bind(statement, 1, row, codec);
        statement.setString(next, error);
    }
}
