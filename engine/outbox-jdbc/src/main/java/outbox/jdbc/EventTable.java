package outbox.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.StoredPayload;
import outbox.util.JsonCodec;

/**
 * An outbox table: its name, the dialect of its database, and the one place that knows its columns and the codes of
 * {@code status}. In the text of a statement, {@code {new}}, {@code {done}}, {@code {retry}} and {@code {dead}} stand for
 * those codes, {@code {pending}} for both that are still to be delivered, {@code {parked}} for the mark of a parked row,
 * {@code {columns}} for what {@link #read} reads and {@code {insert columns}} for what an INSERT writes. Immutable and
 * thread-safe.
 *
 * @param name {@code table} or {@code schema.table}
 */
public record EventTable(String name, SqlDialect dialect) {
    /** Every column, in the order of the specification. */
    public static final List<String> COLUMNS = List.of(
            "event_id",
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "tenant_id",
            "payload",
            "headers",
            "status",
            "attempts",
            "available_at",
            "created_at",
            "done_at",
            "last_error",
            "locked_by",
            "locked_at");

    /** The column that ordered delivery adds; the database numbers the rows. */
    public static final String SEQ = "seq";

    /** The columns that hold JSON. */
    public static final List<String> JSON_COLUMNS = List.of("payload", "headers");

    /** What {@link #read} reads. */
    public static final List<String> READ_COLUMNS = COLUMNS.stream()
            .filter(column -> COLUMNS.indexOf(column) < COLUMNS.indexOf("status")
                    || column.equals("attempts")
                    || column.equals("created_at"))
            .toList();

    /** What an INSERT writes: a new row has neither ended nor failed. */
    private static final List<String> INSERT_COLUMNS = COLUMNS.stream()
            .filter(column -> !column.equals("done_at") && !column.equals("last_error"))
            .toList();

    /** @throws IllegalArgumentException if the name is not {@code table} or {@code schema.table} */
    public EventTable {
        TableNames.validate(name);
        Objects.requireNonNull(dialect, "dialect");
    }

    public TimeColumns times() {
        return dialect.times();
    }

    /** The statement for this table; see {@link SqlDialect} for the other names in braces. */
    public String sql(String template) {
        return dialect.render(fill(template), name);
    }

    /** The text with the names of columns and the codes of {@code status} in it. */
    public static String fill(String template) {
        return template.replace("{columns}", String.join(", ", READ_COLUMNS))
                .replace("{insert columns}", String.join(", ", INSERT_COLUMNS))
                .replace("{pending}", EventStatus.NEW.code() + ", " + EventStatus.RETRY.code())
                .replace("{new}", code(EventStatus.NEW))
                .replace("{done}", code(EventStatus.DONE))
                .replace("{retry}", code(EventStatus.RETRY))
                .replace("{dead}", code(EventStatus.DEAD))
                .replace("{parked}", "'" + LeasingOutboxStore.PARKED + "'");
    }

    private static String code(EventStatus status) {
        return Integer.toString(status.code());
    }

    /** Reads {@link #READ_COLUMNS}, the first columns of the row. */
    public OutboxEvent read(ResultSet row) throws SQLException {
        return new OutboxEvent(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getInt(8),
                times().read(row, 9));
    }

    /**
     * Binds the first columns of an event, from {@code event_id} to {@code headers}.
     *
     * @return the index of the next parameter
     */
    public static int bind(PreparedStatement statement, int index, EventEnvelope event, JsonCodec codec)
            throws SQLException {
        statement.setString(index++, event.eventId());
        statement.setString(index++, event.eventType());
        statement.setString(index++, event.aggregateType());
        statement.setString(index++, event.aggregateId());
        statement.setString(index++, event.tenantId());
        statement.setString(index++, StoredPayload.encode(event));
        statement.setString(index++, StoredPayload.encodeHeaders(event, codec));
        return index;
    }

    @Override
    public String toString() {
        return name;
    }
}
