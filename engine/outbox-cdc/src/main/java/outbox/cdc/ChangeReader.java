package outbox.cdc;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;

/** Finds the inserted row in a change record. Stateless, thread-safe. */
final class ChangeReader {
    private static final String INSERTED = "c";
    private static final String FOUND_BY_SNAPSHOT = "r";

    private ChangeReader() {}

    /** @return the row, or {@code null} if the record is not an inserted event: a heartbeat, an update, a deletion */
    static @Nullable OutboxEvent insertedRow(SourceRecord record) {
        if (!(record.value() instanceof Struct change) || change.schema().field("op") == null) {
            return null;
        }
        String op = change.getString("op");
        if (!INSERTED.equals(op) && !FOUND_BY_SNAPSHOT.equals(op)) {
            return null;
        }
        Struct row = change.getStruct("after");
        return new OutboxEvent(
                required(row, "event_id"),
                required(row, "event_type"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                row.getString("tenant_id"),
                required(row, "payload"),
                row.getString("headers"),
                0,
                createdAt(row));
    }

    /** When the record's transaction was committed, by the database's clock; {@code null} if the record does not say. */
    static @Nullable Instant committedAt(SourceRecord record) {
        if (record.value() instanceof Struct change && change.schema().field("source") != null) {
            Struct source = change.getStruct("source");
            Object millis = source.schema().field("ts_ms") == null ? null : source.get("ts_ms");
            return millis instanceof Long time ? Instant.ofEpochMilli(time) : null;
        }
        return null;
    }

    private static String required(Struct row, String column) {
        String value = row.getString(column);
        if (value == null) {
            throw new IllegalStateException("a row was inserted without " + column + ": " + row.getString("event_id"));
        }
        return value;
    }

    /** PostgreSQL sends timestamps as text; MySQL sends DATETIME, here always UTC, as microseconds. */
    private static Instant createdAt(Struct row) {
        Field column = row.schema().field("created_at");
        Object value = row.get(column);
        if (value instanceof String text) {
            return OffsetDateTime.parse(text).toInstant();
        }
        if (value instanceof Long micros) {
            return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
        }
        throw new IllegalStateException("created_at of event " + row.getString("event_id") + " has an unknown format: "
                + column.schema().name());
    }
}
