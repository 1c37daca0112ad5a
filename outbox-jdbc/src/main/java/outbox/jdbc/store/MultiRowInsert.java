package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * Inserts events by {@code INSERT … VALUES (…), (…), …}, in chunks that stay below the packet and parameter limits of
 * the servers. All or none: more than one statement runs under a savepoint.
 */
final class MultiRowInsert {
    private static final int MAX_ROWS = 500;
    private static final int MAX_CHARACTERS = 2 * EventEnvelope.MAX_PAYLOAD_BYTES;

    private static final String INSERT = """
            INSERT INTO {table} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              status, attempts, available_at, created_at, locked_by, locked_at)
            VALUES\s""";
    private static final String ROW = "(?, ?, ?, ?, ?, {json}, {json}, 0, 0, %s, ?, %s)";
    private static final String FREE = "NULL, NULL";
    private static final String LEASED = "?, {now}";

    private final SqlDialect dialect;
    private final EventRows rows;
    private final String insert;

    MultiRowInsert(String table, SqlDialect dialect, EventRows rows) {
        this.dialect = dialect;
        this.rows = rows;
        this.insert = dialect.render(INSERT, table) + " ";
    }

    /** @param owner who leases the events that are due at once; null for nobody */
    void insert(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException {
        List<Chunk> chunks = chunks(events);
        if (chunks.size() == 1) {
            insert(conn, chunks.get(0), owner);
            return;
        }
        OwnTransaction.runWithSavepoint(conn, () -> {
            int inserted = 0;
            for (Chunk chunk : chunks) {
                inserted += insert(conn, chunk, owner);
            }
            return inserted;
        });
    }

    private record Chunk(DueTime due, List<EventEnvelope> events) {}

    private static List<Chunk> chunks(List<EventEnvelope> events) {
        if (events.size() == 1) {
            return List.of(new Chunk(DueTime.of(events.get(0)), events));
        }
        List<Chunk> chunks = new ArrayList<>();
        for (Map.Entry<DueTime, List<EventEnvelope>> group :
                DueTime.group(events).entrySet()) {
            List<EventEnvelope> chunk = new ArrayList<>();
            int characters = 0;
            for (EventEnvelope event : group.getValue()) {
                int size = approximateSize(event);
                if (!chunk.isEmpty() && (chunk.size() == MAX_ROWS || characters + size > MAX_CHARACTERS)) {
                    chunks.add(new Chunk(group.getKey(), chunk));
                    chunk = new ArrayList<>();
                    characters = 0;
                }
                chunk.add(event);
                characters += size;
            }
            chunks.add(new Chunk(group.getKey(), chunk));
        }
        return chunks;
    }

    private static int approximateSize(EventEnvelope event) {
        String json = event.payloadJson();
        return json != null ? json.length() : EventEnvelope.MAX_PAYLOAD_BYTES / 2;
    }

    private int insert(Connection conn, Chunk chunk, @Nullable String owner) throws SQLException {
        boolean leased = owner != null && chunk.due() == DueTime.NOW;
        String row = dialect.render(ROW.formatted(chunk.due().expression(), leased ? LEASED : FREE), "");
        String sql = insert
                + String.join(", ", java.util.Collections.nCopies(chunk.events().size(), row));
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            int index = 1;
            for (EventEnvelope event : chunk.events()) {
                index = rows.bind(statement, index, event);
                index = chunk.due().bind(statement, index, event, dialect.times());
                dialect.times().bind(statement, index++, event.occurredAt());
                if (leased) {
                    statement.setString(index++, owner);
                }
            }
            return statement.executeUpdate();
        }
    }
}
