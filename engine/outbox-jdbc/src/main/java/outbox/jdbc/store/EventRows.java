package outbox.jdbc.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import outbox.EventEnvelope;
import outbox.jdbc.TimeColumns;
import outbox.model.OutboxEvent;
import outbox.spi.StoredPayload;
import outbox.util.JsonCodec;

/** Events to columns and rows to events. Immutable. */
record EventRows(JsonCodec codec, TimeColumns times) {
    /** What a poll reads, in the order {@link #read} expects. */
    static final String COLUMNS = "event_id, event_type, aggregate_type, aggregate_id, tenant_id,"
            + " payload, headers, attempts, created_at";

    private static final int COLUMN_COUNT = 9;

    /** A claimed row with the time it became due, by which claims are ordered. */
    record Due(OutboxEvent event, Instant availableAt) {}

    OutboxEvent read(ResultSet row) throws SQLException {
        return new OutboxEvent(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getInt(8),
                times.read(row, 9));
    }

    /** Reads {@link #COLUMNS} followed by {@code available_at}. */
    Due readDue(ResultSet row) throws SQLException {
        return new Due(read(row), times.read(row, COLUMN_COUNT + 1));
    }

    static List<OutboxEvent> dueFirst(List<Due> rows) {
        List<Due> sorted = new ArrayList<>(rows);
        sorted.sort(Comparator.comparing(Due::availableAt)
                .thenComparing(row -> row.event().eventId()));
        return sorted.stream().map(Due::event).toList();
    }

    static List<OutboxEvent> createdFirst(List<OutboxEvent> rows) {
        List<OutboxEvent> sorted = new ArrayList<>(rows);
        sorted.sort(Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId));
        return sorted;
    }

    /**
     * Binds event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload and headers.
     *
     * @return the index of the next parameter
     */
    int bind(PreparedStatement statement, int index, EventEnvelope event) throws SQLException {
        statement.setString(index++, event.eventId());
        statement.setString(index++, event.eventType());
        statement.setString(index++, event.aggregateType());
        statement.setString(index++, event.aggregateId());
        statement.setString(index++, event.tenantId());
        statement.setString(index++, StoredPayload.encode(event));
        statement.setString(index++, codec.toJson(event.headers()));
        return index;
    }
}
