package outbox.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import outbox.Outbox;
import outbox.model.EventStatus;

/**
 * Waits for events to be settled, by polling the table. After the timeout, 30 seconds by default, an {@link
 * AssertionError} shows the state of the events.
 *
 * <pre>{@code
 * String id = writer.write("OrderPlaced", "{}");
 * Outboxes.awaitDone(dataSource, id);
 * }</pre>
 */
public final class Outboxes {
    /** Default timeout. */
    public static final Duration DEFAULT_TIMEOUT = Await.DEFAULT_TIMEOUT;

    private static final String DEFAULT_TABLE = OutboxAssertions.DEFAULT_TABLE;

    private Outboxes() {}

    /** Waits until these events are DONE in the table {@code outbox_event}. */
    public static void awaitDone(DataSource dataSource, String... eventIds) {
        awaitStatus(dataSource, DEFAULT_TABLE, EventStatus.DONE, List.of(eventIds), DEFAULT_TIMEOUT);
    }

    /** Waits until these events are DEAD in the table {@code outbox_event}. */
    public static void awaitDead(DataSource dataSource, String... eventIds) {
        awaitStatus(dataSource, DEFAULT_TABLE, EventStatus.DEAD, List.of(eventIds), DEFAULT_TIMEOUT);
    }

    /** Waits until these events are in that state; {@code table} is trusted. */
    public static void awaitStatus(
            DataSource dataSource, String table, EventStatus status, Collection<String> eventIds, Duration timeout) {
        Await.until(
                timeout,
                () -> "all events " + status + "; they are " + statuses(dataSource, table, eventIds),
                () -> statuses(dataSource, table, eventIds).values().stream().allMatch(status.name()::equals));
    }

    private static Map<String, String> statuses(DataSource dataSource, String table, Collection<String> eventIds)
            throws SQLException {
        Map<String, String> statuses = new LinkedHashMap<>();
        try (Connection conn = dataSource.getConnection()) {
            for (String id : eventIds) {
                StoredRow row = StoredRow.read(conn, table, id);
                statuses.put(id, row == null ? "not there" : row.status().name());
            }
            if (!conn.getAutoCommit()) {
                conn.rollback();
            }
        }
        return statuses;
    }

    /** Waits until nothing in the table {@code outbox_event} is NEW or RETRY any more. */
    public static void awaitNothingPending(DataSource dataSource) {
        awaitNothingPending(dataSource, DEFAULT_TABLE, DEFAULT_TIMEOUT);
    }

    /** Waits until nothing is NEW or RETRY any more; {@code table} is trusted. */
    public static void awaitNothingPending(DataSource dataSource, String table, Duration timeout) {
        Await.until(
                timeout,
                () -> count(dataSource, table, EventStatus.NEW) + " events are NEW and "
                        + count(dataSource, table, EventStatus.RETRY) + " RETRY",
                () -> count(dataSource, table, EventStatus.NEW) + count(dataSource, table, EventStatus.RETRY) == 0);
    }

    /** How many rows of the table are in that state; {@code table} is trusted. */
    public static long count(DataSource dataSource, String table, EventStatus status) throws SQLException {
        try (Connection conn = dataSource.getConnection();
                PreparedStatement statement =
                        conn.prepareStatement("SELECT COUNT(*) FROM " + table + " WHERE status = ?")) {
            statement.setInt(1, status.code());
            long count;
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                count = rows.getLong(1);
            }
            if (!conn.getAutoCommit()) {
                conn.rollback();
            }
            return count;
        }
    }

    /**
     * Result of a drain.
     *
     * @param done events that are DONE, of those that are still in the table
     * @param later events that are not due yet: retries and delayed ones
     * @param dead events that are DEAD
     */
    public record Drained(int done, int later, int dead) {}

    /**
     * Delivers all due events of the table {@code outbox_event}, and the events they cause, before it returns. Events
     * that are not due yet stay. After 30 seconds an {@link AssertionError} shows what is still in flight.
     */
    public static Drained drain(Outbox outbox, DataSource dataSource) {
        return drain(outbox, EventSource.table(dataSource, DEFAULT_TABLE));
    }

    /** Delivers all due events of an in-memory store, and the events they cause, before it returns. */
    public static Drained drain(Outbox outbox, InMemoryOutboxStore store) {
        return drain(outbox, EventSource.store(store));
    }

    /**
     * Delivers all due events, and the events they cause, before it returns; the source must read the outbox's table.
     */
    public static Drained drain(Outbox outbox, EventSource source) {
        return Drain.run(outbox, source, DEFAULT_TIMEOUT);
    }

    /** Waits until these events are DONE in a store in memory. */
    public static void awaitDone(InMemoryOutboxStore store, String... eventIds) {
        awaitStatus(store, EventStatus.DONE, List.of(eventIds));
    }

    /** Waits until these events are in that state in a store in memory. */
    public static void awaitStatus(InMemoryOutboxStore store, EventStatus status, Collection<String> eventIds) {
        Await.until(
                DEFAULT_TIMEOUT,
                () -> "all events " + status + "; the rows are " + store.rows(),
                () -> eventIds.stream().map(store::row).allMatch(row -> row != null && row.status() == status));
    }
}
