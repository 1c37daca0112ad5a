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
import outbox.model.FormerLease;
import outbox.model.OutboxEvent;
import outbox.spi.StoredPayload;
import outbox.util.JsonCodec;

/** Events to columns and rows to events. Immutable. */
record EventRows(JsonCodec codec, TimeColumns times) {
    /** What a poll reads, in the order {@link #read} expects. */
    static final String COLUMNS = "event_id, event_type, aggregate_type, aggregate_id, tenant_id,"
            + " payload, headers, attempts, created_at";

    private static final int COLUMN_COUNT = 9;

    /** The same, with payload and headers as a dialect wants them; see {@link LargeValues}. */
    static final String COLUMNS_TO_CLAIM = "event_id, event_type, aggregate_type, aggregate_id, tenant_id,"
            + " {payload}, {headers}, attempts, created_at";

    /**
     * In a statement that locks rows to claim them: who held the row and did not release it, as the number of a
     * {@link FormerLease}. The parameter is the claiming owner.
     */
    static final String FORMER_LEASE =
            "CASE WHEN locked_by IS NULL OR locked_at IS NULL THEN 0 WHEN locked_by = ? THEN 1 ELSE 2 END";

    private static final FormerLease[] FORMER_LEASES = FormerLease.values();

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

    /** Reads {@link #COLUMNS} followed by {@link #FORMER_LEASE}. */
    OutboxEvent readClaimed(ResultSet row) throws SQLException {
        OutboxEvent event = read(row);
        int formerLease = row.getInt(COLUMN_COUNT + 1);
        return formerLease == 0 ? event : event.heldBefore(FORMER_LEASES[formerLease]);
    }

    /** Reads what {@link #readClaimed} does, followed by {@code available_at}. */
    Due readDue(ResultSet row) throws SQLException {
        return new Due(readClaimed(row), times.read(row, COLUMN_COUNT + 2));
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
        statement.setString(index++, StoredPayload.encodeHeaders(event, codec));
        return index;
    }
}
