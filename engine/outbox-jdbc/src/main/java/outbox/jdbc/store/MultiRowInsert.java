package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/** Inserts events by {@code INSERT … VALUES (…), (…), …}, in the order of the events. All or none. */
final class MultiRowInsert {
    private static final int MAX_ROWS = 100;

    private static final String INSERT = """
            INSERT INTO {table} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              status, attempts, available_at, created_at, locked_by, locked_at)
            VALUES\s""";
    private static final String ROW = "(?, ?, ?, ?, ?, {json}, {json}, 0, 0, %s, ?, %s)";
    private static final String FREE = "NULL, NULL";
    private static final String LEASED = "?, {now}";

    private final EventRows rows;
    private final String insert;
    private final String freeSql;
    private final String leasedSql;
    private final String atSql;
    private final String afterSql;

    MultiRowInsert(String table, SqlDialect dialect, EventRows rows) {
        this.rows = rows;
        this.insert = dialect.render(INSERT, table) + " ";
        this.freeSql = dialect.render(ROW.formatted("{now}", FREE), table);
        this.leasedSql = dialect.render(ROW.formatted("{now}", LEASED), table);
        this.atSql = dialect.render(ROW.formatted("?", FREE), table);
        this.afterSql = dialect.render(ROW.formatted("{now+?}", FREE), table);
    }

    /** @param owner who leases the events that are due at once; null for nobody */
    void insert(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException {
        InsertChunks.insert(conn, events, MAX_ROWS, chunk -> insertChunk(conn, chunk, owner));
    }

    private int insertChunk(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException {
        StringJoiner values = new StringJoiner(", ", insert, "");
        for (EventEnvelope event : events) {
            values.add(rowSql(event, owner));
        }
        try (PreparedStatement statement = conn.prepareStatement(values.toString())) {
            int index = 1;
            for (EventEnvelope event : events) {
                index = bind(statement, index, event, owner);
            }
            return statement.executeUpdate();
        }
    }

    private String rowSql(EventEnvelope event, @Nullable String owner) {
        if (event.availableAt() != null) {
            return atSql;
        } else if (event.deliverAfter() != null) {
            return afterSql;
        }
        return owner == null ? freeSql : leasedSql;
    }

    /** @return the index of the next parameter */
    private int bind(PreparedStatement statement, int index, EventEnvelope event, @Nullable String owner)
            throws SQLException {
        index = rows.bind(statement, index, event);
        Instant at = event.availableAt();
        Duration after = event.deliverAfter();
        if (at != null) {
            rows.times().bind(statement, index++, at);
        } else if (after != null) {
            statement.setLong(index++, Micros.of(after));
        }
        rows.times().bind(statement, index++, event.occurredAt());
        if (owner != null && !event.isDelayed()) {
            statement.setString(index++, owner);
        }
        return index;
    }
}
