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
import outbox.jdbc.EventTable;
import outbox.jdbc.SqlDialect;
import outbox.util.JsonCodec;

/** Inserts events by {@code INSERT … VALUES (…), (…), …}, which most databases support. Immutable and thread-safe. */
public final class MultiRowInsert implements InsertStrategy {
    private static final int MAX_ROWS = 100;

    private static final String INSERT = """
            INSERT INTO {table} ({insert columns})
            VALUES\s""";
    private static final String ROW = "(?, ?, ?, ?, ?, {json}, {json}, {new}, 0, %s, ?, %s)";
    private static final String FREE = "NULL, NULL";
    private static final String LEASED = "?, {now}";

    private final EventTable table;
    private final JsonCodec codec;
    private final String insert;
    private final String freeSql;
    private final String leasedSql;
    private final String atSql;
    private final String afterSql;

    public MultiRowInsert(EventTable table, JsonCodec codec) {
        this.table = table;
        this.codec = codec;
        this.insert = table.sql(INSERT) + " ";
        this.freeSql = table.sql(ROW.formatted("{now}", FREE));
        this.leasedSql = table.sql(ROW.formatted("{now}", LEASED));
        this.atSql = table.sql(ROW.formatted("?", FREE));
        this.afterSql = table.sql(ROW.formatted("{now+?}", FREE));
    }

    @Override
    public void insert(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException {
        InsertChunks.insert(conn, events, MAX_ROWS, chunk -> insertChunk(conn, chunk, owner));
    }

    /** Inserts so few events that one statement is enough. */
    int insertChunk(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException {
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
        index = EventTable.bind(statement, index, event, codec);
        Instant at = event.availableAt();
        Duration after = event.deliverAfter();
        if (at != null) {
            table.times().bind(statement, index++, at);
        } else if (after != null) {
            statement.setLong(index++, SqlDialect.micros(after));
        }
        table.times().bind(statement, index++, event.occurredAt());
        if (owner != null && !event.isDelayed()) {
            statement.setString(index++, owner);
        }
        return index;
    }
}
