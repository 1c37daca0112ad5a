package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.EventTable;
import outbox.jdbc.SqlDialect;
import outbox.spi.StoredPayload;
import outbox.util.JsonCodec;

/**
 * Inserts any number of small events on PostgreSQL with one statement and one array per column. As fast as the driver's
 * rewritten batches, without driver configuration, and with one statement text for all sizes. Rows are written in the
 * order of the events. A single event is inserted without arrays. Immutable and thread-safe.
 */
final class ArrayInsert implements InsertStrategy {
    private static final String INSERT = """
            INSERT INTO {table} ({insert columns})
            SELECT e.id, e.type, e.aggregate_type, e.aggregate_id, e.tenant, e.payload::jsonb, e.headers::jsonb,
              {new}, 0, {due}, {created}, {lease}
            FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int8[]{arrays})
              AS e(id, type, aggregate_type, aggregate_id, tenant, payload, headers, created{more columns})
            """;
    private static final String FREE = "NULL, NULL";
    private static final String LEASED = "?, {now}";
    private static final String LEASED_UNLESS_DELAYED = """
            CASE WHEN e.due IS NULL AND e.delay IS NULL THEN ? END,
              CASE WHEN e.due IS NULL AND e.delay IS NULL THEN {now} END""";
    private static final String DUE = """
            COALESCE(%s, {now} + e.delay * INTERVAL '1 microsecond', {now})""".formatted(timeOf("e.due"));

    private final JsonCodec codec;
    private final MultiRowInsert single;
    private final String freeSql;
    private final String leasedSql;
    private final String delayedFreeSql;
    private final String delayedLeasedSql;

    ArrayInsert(EventTable table, JsonCodec codec) {
        this.codec = codec;
        this.single = new MultiRowInsert(table, codec);
        String insert = INSERT.replace("{created}", timeOf("e.created"));
        String prompt = insert.replace("{due}", "{now}").replace("{arrays}", "").replace("{more columns}", "");
        String delayed = insert.replace("{due}", DUE)
                .replace("{arrays}", ", ?::int8[], ?::int8[]")
                .replace("{more columns}", ", due, delay");
        this.freeSql = table.sql(prompt.replace("{lease}", FREE));
        this.leasedSql = table.sql(prompt.replace("{lease}", LEASED));
        this.delayedFreeSql = table.sql(delayed.replace("{lease}", FREE));
        this.delayedLeasedSql = table.sql(delayed.replace("{lease}", LEASED_UNLESS_DELAYED));
    }

    /**
     * Seconds and microseconds separately: the factor of an interval is a double, too imprecise for microseconds of
     * distant years.
     */
    private static String timeOf(String micros) {
        return "TIMESTAMPTZ 'epoch' + %1$s / 1000000 * INTERVAL '1 second' + %1$s %% 1000000 * INTERVAL '1 microsecond'"
                .formatted(micros);
    }

    @Override
    public void insert(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException {
        if (events.size() == 1) {
            single.insertChunk(conn, events, owner);
            return;
        }
        InsertChunks.insert(conn, events, Integer.MAX_VALUE, chunk -> insertChunk(conn, chunk, owner));
    }

    private int insertChunk(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException {
        boolean delayed = events.stream().anyMatch(EventEnvelope::isDelayed);
        String prompt = owner == null ? freeSql : leasedSql;
        String mixed = owner == null ? delayedFreeSql : delayedLeasedSql;
        try (PreparedStatement statement = conn.prepareStatement(delayed ? mixed : prompt)) {
            int index = 1;
            if (owner != null) {
                statement.setString(index++, owner);
            }
            text(conn, statement, index++, events, EventEnvelope::eventId);
            text(conn, statement, index++, events, EventEnvelope::eventType);
            text(conn, statement, index++, events, EventEnvelope::aggregateType);
            text(conn, statement, index++, events, EventEnvelope::aggregateId);
            text(conn, statement, index++, events, EventEnvelope::tenantId);
            text(conn, statement, index++, events, StoredPayload::encode);
            text(conn, statement, index++, events, event -> StoredPayload.encodeHeaders(event, codec));
            micros(conn, statement, index++, events, event -> micros(event.occurredAt()));
            if (delayed) {
                micros(conn, statement, index++, events, event -> micros(event.availableAt()));
                micros(conn, statement, index++, events, event -> micros(event.deliverAfter()));
            }
            return statement.executeUpdate();
        }
    }

    private static void text(
            Connection conn,
            PreparedStatement statement,
            int index,
            List<EventEnvelope> events,
            Function<EventEnvelope, @Nullable String> column)
            throws SQLException {
        Object[] values = new String[events.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.apply(events.get(i));
        }
        statement.setArray(index, conn.createArrayOf("text", values));
    }

    private static void micros(
            Connection conn,
            PreparedStatement statement,
            int index,
            List<EventEnvelope> events,
            Function<EventEnvelope, @Nullable Long> column)
            throws SQLException {
        Object[] values = new Long[events.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.apply(events.get(i));
        }
        statement.setArray(index, conn.createArrayOf("int8", values));
    }

    private static @Nullable Long micros(@Nullable Instant time) {
        return time == null ? null : time.getEpochSecond() * 1_000_000 + time.getNano() / 1_000;
    }

    private static @Nullable Long micros(@Nullable Duration delay) {
        return delay == null ? null : SqlDialect.micros(delay);
    }
}
