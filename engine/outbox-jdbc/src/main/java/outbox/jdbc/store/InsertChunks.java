package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import outbox.EventEnvelope;

/**
 * Splits a batch of inserts into statements within the packet and parameter limits of the servers, in the order of the
 * events. Several statements run under a savepoint, so that all or none are inserted.
 */
final class InsertChunks {
    /**
     * Payloads and headers. Text in UTF-8 has up to three times as many bytes, and its quotes and backslashes are escaped:
     * far below 16 MiB, the largest packet of MariaDB, also with an event that has headers of the largest size.
     */
    private static final int MAX_CHARACTERS = 2 * EventEnvelope.MAX_PAYLOAD_BYTES;

    private InsertChunks() {}

    /** Inserts the events of one statement. */
    @FunctionalInterface
    interface Insert {
        int insert(List<EventEnvelope> chunk) throws SQLException;
    }

    static void insert(Connection conn, List<EventEnvelope> events, int maxRows, Insert statement) throws SQLException {
        List<List<EventEnvelope>> chunks = of(events, maxRows);
        if (chunks.size() == 1) {
            statement.insert(events);
            return;
        }
        OwnTransaction.runWithSavepoint(conn, () -> {
            int inserted = 0;
            for (List<EventEnvelope> chunk : chunks) {
                inserted += statement.insert(chunk);
            }
            return inserted;
        });
    }

    static List<List<EventEnvelope>> of(List<EventEnvelope> events, int maxRows) {
        List<List<EventEnvelope>> chunks = new ArrayList<>();
        int from = 0;
        long characters = 0;
        for (int i = 0; i < events.size(); i++) {
            int size = events.get(i).approximateSize();
            if (i > from && (i - from == maxRows || characters + size > MAX_CHARACTERS)) {
                chunks.add(events.subList(from, i));
                from = i;
                characters = 0;
            }
            characters += size;
        }
        chunks.add(events.subList(from, events.size()));
        return chunks;
    }
}
