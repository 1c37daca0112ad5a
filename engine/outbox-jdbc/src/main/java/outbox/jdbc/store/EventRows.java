package outbox.jdbc.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import outbox.jdbc.EventTable;
import outbox.model.FormerLease;
import outbox.model.OutboxEvent;

/** The rows of a claim. Immutable. */
record EventRows(EventTable table) {
    /** The columns of {@link EventTable#read}, with dialect-specific payload and headers; see {@link LargeValues}. */
    static final String COLUMNS_TO_CLAIM = EventTable.READ_COLUMNS.stream()
            .map(column -> EventTable.JSON_COLUMNS.contains(column) ? "{" + column + "}" : column)
            .collect(Collectors.joining(", "));

    /**
     * Expression in statements that lock rows for a claim: the previous lease of the row, as the number of a {@link
     * FormerLease}. The parameter is the claiming owner.
     */
    static final String FORMER_LEASE =
            "CASE WHEN locked_by IS NULL OR locked_at IS NULL THEN 0 WHEN locked_by = ? THEN 1 ELSE 2 END";

    private static final FormerLease[] FORMER_LEASES = FormerLease.values();

    private static final int COLUMN_COUNT = EventTable.READ_COLUMNS.size();

    /**
     * Whether a pending row was due before its {@code available_at}: an attempt failed, or it was released with a
     * delay, which leaves {@code locked_at} without an owner. Other rows with a future due time are scheduled.
     */
    static final String HAS_BEEN_DUE = "(attempts > 0 OR locked_by IS NULL AND locked_at IS NOT NULL)";

    /** A claimed row with its due time, by which claims are ordered. */
    record Due(OutboxEvent event, Instant availableAt) {}

    /** Reads {@link #COLUMNS_TO_CLAIM} followed by {@link #FORMER_LEASE}. */
    OutboxEvent readClaimed(ResultSet row) throws SQLException {
        OutboxEvent event = table.read(row);
        int formerLease = row.getInt(COLUMN_COUNT + 1);
        return formerLease == 0 ? event : event.heldBefore(FORMER_LEASES[formerLease]);
    }

    /** Reads what {@link #readClaimed} does, followed by {@code available_at}. */
    Due readDue(ResultSet row) throws SQLException {
        return new Due(readClaimed(row), table.times().read(row, COLUMN_COUNT + 2));
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
}
