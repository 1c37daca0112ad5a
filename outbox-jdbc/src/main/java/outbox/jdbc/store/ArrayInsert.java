package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.util.JsonCodec;
import outbox.util.StoredPayload;

/**
 * Inserts any number of events on PostgreSQL by one statement with one array per column. As fast as the driver's
 * rewritten batches, without asking the user to configure them, and one statement text for all sizes.
 */
final class ArrayInsert {
    private static final String INSERT = """
            INSERT INTO {table} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              status, attempts, available_at, created_at, locked_by, locked_at)
            SELECT e.id, e.type, e.aggregate_type, e.aggregate_id, e.tenant, e.payload::jsonb, e.headers::jsonb,
              0, 0, {due}, TIMESTAMPTZ 'epoch' + e.created * INTERVAL '1 microsecond', {lease}
            FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int8[]{arrays})
              AS e(id, type, aggregate_type, aggregate_id, tenant, payload, headers, created{columns})
            """;

    private final JsonCodec codec;
    private final String freeSql;
    private final String leasedSql;
    private final String atSql;
    private final String afterSql;

    ArrayInsert(String table, SqlDialect dialect, JsonCodec codec) {
        this.codec = codec;
        String now = INSERT.replace("{due}", "{now}").replace("{arrays}", "").replace("{columns}", "");
        String delayed = INSERT.replace("{lease}", "NULL, NULL")
                .replace("{arrays}", ", ?::int8[]")
                .replace("{columns}", ", due");
        this.freeSql = dialect.render(now.replace("{lease}", "NULL, NULL"), table);
        this.leasedSql = dialect.render(now.replace("{lease}", "?, {now}"), table);
        this.atSql = dialect.render(
                delayed.replace("{due}", "TIMESTAMPTZ 'epoch' + e.due * INTERVAL '1 microsecond'"), table);
        this.afterSql = dialect.render(delayed.replace("{due}", "{now} + e.due * INTERVAL '1 microsecond'"), table);
    }

    void insert(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException {
        for (Map.Entry<DueTime, List<EventEnvelope>> group :
                DueTime.group(events).entrySet()) {
            insert(conn, group.getKey(), group.getValue(), owner);
        }
    }

    private void insert(Connection conn, DueTime due, List<EventEnvelope> events, @Nullable String owner)
            throws SQLException {
        String sql = switch (due) {
            case NOW -> owner == null ? freeSql : leasedSql;
            case AT -> atSql;
            case AFTER -> afterSql;
        };
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            int index = 1;
            if (due == DueTime.NOW && owner != null) {
                statement.setString(index++, owner);
            }
            text(conn, statement, index++, events, EventEnvelope::eventId);
            text(conn, statement, index++, events, EventEnvelope::eventType);
            text(conn, statement, index++, events, EventEnvelope::aggregateType);
            text(conn, statement, index++, events, EventEnvelope::aggregateId);
            text(conn, statement, index++, events, EventEnvelope::tenantId);
            text(conn, statement, index++, events, StoredPayload::encode);
            text(conn, statement, index++, events, event -> codec.toJson(event.headers()));
            micros(conn, statement, index++, events, event -> micros(event.occurredAt()));
            if (due == DueTime.AT) {
                micros(conn, statement, index, events, event -> micros(Objects.requireNonNull(event.availableAt())));
            } else if (due == DueTime.AFTER) {
                micros(
                        conn,
                        statement,
                        index,
                        events,
                        event -> Micros.of(Objects.requireNonNull(event.deliverAfter())));
            }
            statement.executeUpdate();
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
            Function<EventEnvelope, Long> column)
            throws SQLException {
        Object[] values = new Long[events.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.apply(events.get(i));
        }
        statement.setArray(index, conn.createArrayOf("int8", values));
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }
}
