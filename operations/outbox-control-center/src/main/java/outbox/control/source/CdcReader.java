package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.node.db.Tables;

/**
 * Reads how far the CDC relays of an application are: their stored offset, the log they have not read, and their dead
 * letters. Thread-safe.
 */
public final class CdcReader {
    private static final int LIMIT = 50;
    private static final int MAX_OFFSET = 500;
    private static final int MAX_ERROR = 400;

    private final Application application;
    private final Flavor flavor;

    public CdcReader(Application application) {
        this.application = application;
        this.flavor = application.flavor();
    }

    /**
     * One relay. What only PostgreSQL tells is {@code null} elsewhere.
     *
     * @param offset the offset in the log, as Debezium stores it
     * @param offsetAgeSeconds since it was stored
     * @param active whether a process reads its replication slot
     * @param slotState {@code reserved}, {@code extended}, {@code unreserved} or {@code lost}
     * @param lagBytes log that was written and not confirmed yet
     * @param retainedBytes log the database keeps for it
     * @param deadLetters at most 10 001
     */
    public record Relay(
            String name,
            String offset,
            double offsetAgeSeconds,
            @Nullable Boolean active,
            @Nullable String slotState,
            @Nullable Long lagBytes,
            @Nullable Long retainedBytes,
            int deadLetters) {}

    /** An event that a relay could not deliver. */
    public record DeadLetter(String eventId, String type, String relay, int attempts, String error, Instant deadAt) {}

    /** @param deadLetters the newest of all relays */
    public record Overview(List<Relay> relays, List<DeadLetter> deadLetters) {}

    private record Slot(
            boolean active,
            @Nullable String state,
            @Nullable Long lag,
            @Nullable Long retained) {}

    /** Empty if the tables of outbox-cdc do not exist. */
    public Overview read() throws SQLException {
        try (Connection conn = application.dataSource().getConnection()) {
            if (!Tables.exists(conn, flavor, "outbox_cdc_offset")) {
                return new Overview(List.of(), List.of());
            }
            boolean withDead = Tables.exists(conn, flavor, "outbox_cdc_dead");
            Map<String, Slot> slots = flavor.database().equals("postgresql") ? slots(conn) : Map.of();
            return new Overview(relays(conn, slots, withDead), withDead ? deadLetters(conn) : List.of());
        }
    }

    private List<Relay> relays(Connection conn, Map<String, Slot> slots, boolean withDead) throws SQLException {
        Instant now = flavor.clock(conn);
        List<Relay> relays = new ArrayList<>();
        record Offset(String relay, String value, Instant at) {}
        List<Offset> offsets = new Sql(
                        flavor,
                        "SELECT relay, offset_value, updated_at FROM outbox_cdc_offset ORDER BY relay LIMIT ?",
                        LIMIT)
                .query(conn, row -> new Offset(row.getString(1), cut(row.getString(2)), flavor.time(row, 3)));
        for (Offset offset : offsets) {
            Slot slot = slots.get(offset.relay());
            relays.add(new Relay(
                    offset.relay(),
                    offset.value(),
                    Math.max(0, Duration.between(offset.at(), now).toMillis() / 1000.0),
                    slot == null ? null : Boolean.valueOf(slot.active()),
                    slot == null ? null : slot.state(),
                    slot == null ? null : slot.lag(),
                    slot == null ? null : slot.retained(),
                    withDead ? dead(conn, offset.relay()) : 0));
        }
        return relays;
    }

    private int dead(Connection conn, String relay) throws SQLException {
        Integer count = new Sql(
                        flavor,
                        "SELECT COUNT(*) FROM (SELECT 1 AS one FROM outbox_cdc_dead WHERE relay = ? LIMIT ?) capped",
                        relay,
                        EventReader.COUNT_CAP + 1)
                .first(conn, row -> row.getInt(1));
        return count == null ? 0 : count;
    }

    /** On a standby the end of the log is what was received. */
    private Map<String, Slot> slots(Connection conn) throws SQLException {
        String end = "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END";
        Map<String, Slot> slots = new HashMap<>();
        new Sql(
                        flavor,
                        "SELECT slot_name, active, wal_status, pg_wal_lsn_diff(" + end
                                + ", confirmed_flush_lsn)::bigint,"
                                + " pg_wal_lsn_diff(" + end + ", restart_lsn)::bigint FROM pg_replication_slots"
                                + " WHERE database = current_database()")
                .query(conn, row -> {
                    Long lag = (Long) row.getObject(4);
                    Long retained = (Long) row.getObject(5);
                    return Map.entry(row.getString(1), new Slot(row.getBoolean(2), row.getString(3), lag, retained));
                })
                .forEach(entry -> slots.put(entry.getKey(), entry.getValue()));
        return slots;
    }

    private List<DeadLetter> deadLetters(Connection conn) throws SQLException {
        return new Sql(
                        flavor,
                        "SELECT event_id, event_type, relay, attempts, SUBSTRING(last_error, 1, " + MAX_ERROR
                                + "), dead_at FROM outbox_cdc_dead ORDER BY event_id DESC LIMIT ?",
                        LIMIT)
                .query(
                        conn,
                        row -> new DeadLetter(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getInt(4),
                                row.getString(5).lines().findFirst().orElse(""),
                                flavor.time(row, 6)));
    }

    private static String cut(String offset) {
        return offset.length() <= MAX_OFFSET ? offset : offset.substring(0, MAX_OFFSET);
    }
}
