package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.spi.DuplicateEventException;

/** Classifies SQL errors and creates exceptions for them. */
final class SqlErrors {
    private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;
    private static final int MYSQL_DEADLOCK = 1213;

    /** PostgreSQL: not JSON, or with a NUL in it; H2: not JSON. Nothing else in an insert is converted from text. */
    private static final Set<String> BAD_JSON_STATES = Set.of("22P02", "22P05", "22018");
    /** MySQL: not JSON, nested too deeply; MariaDB: the CHECK of a JSON column. */
    private static final Set<Integer> BAD_JSON_ERRORS = Set.of(3140, 3157, 4025);

    private SqlErrors() {}

    /**
     * Whether the transaction was rolled back by a deadlock and can be retried at once. After a lock timeout it would
     * wait again; MySQL uses the same state for both.
     */
    static boolean isDeadlock(SQLException e) {
        String state = e.getSQLState();
        return e.getErrorCode() == MYSQL_DEADLOCK
                || "40P01".equals(state)
                || ("40001".equals(state) && e.getErrorCode() != MYSQL_LOCK_WAIT_TIMEOUT);
    }

    private static boolean isBadJson(SQLException e) {
        return BAD_JSON_STATES.contains(String.valueOf(e.getSQLState())) || BAD_JSON_ERRORS.contains(e.getErrorCode());
    }

    static RuntimeException insertFailed(
            Connection conn, EventTable table, List<EventEnvelope> events, SQLException e) {
        if (table.dialect().isDuplicateKey(e)) {
            return new DuplicateEventException(
                    "event id is already in table " + table + ": " + duplicates(conn, table, events, e)
                            + "; nothing of " + (events.size() == 1 ? "it" : "the " + events.size() + " events")
                            + " was inserted",
                    e);
        }
        EventEnvelope first = events.get(0);
        String more = events.size() == 1 ? "" : " and " + (events.size() - 1) + " more";
        return new OutboxStoreException(
                "insert into " + table + " failed for event " + first.eventType() + " " + first.eventId() + more + ": "
                        + (isBadJson(e) ? "a payload or header is not JSON that this database stores, " : "")
                        + code(e),
                e);
    }

    /** The duplicate ids. Most databases report one of them; otherwise the table is queried. */
    private static String duplicates(Connection conn, EventTable table, List<EventEnvelope> events, SQLException e) {
        if (events.size() == 1) {
            return events.get(0).eventId();
        }
        Set<String> seen = new HashSet<>();
        String twins = events.stream()
                .map(EventEnvelope::eventId)
                .filter(id -> !seen.add(id))
                .distinct()
                .collect(Collectors.joining(", "));
        if (!twins.isEmpty()) {
            return twins + " (twice in one batch)";
        }
        String message = String.valueOf(e.getMessage());
        return seen.stream()
                .filter(id -> names(message, id))
                .max(Comparator.comparingInt(String::length))
                .orElseGet(() -> existing(conn, table, seen)
                        .orElse("one of " + events.size() + " ids, from "
                                + events.get(0).eventId() + " to "
                                + events.get(events.size() - 1).eventId()));
    }

    private static Optional<String> existing(Connection conn, EventTable table, Set<String> ids) {
        String sql = table.sql("SELECT event_id FROM {table by key} WHERE event_id IN ({ids})");
        List<String> found = new ArrayList<>();
        try {
            for (InList list : InList.split(ids, InList.LARGEST)) {
                found.addAll(JdbcTemplate.query(
                        conn,
                        sql.replace("{ids}", list.placeholders()),
                        statement -> list.bind(statement, 1),
                        row -> row.getString(1)));
            }
        } catch (SQLException unknown) {
            return Optional.empty(); // the failed INSERT may have aborted the transaction
        }
        return found.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", found));
    }

    private static boolean names(String message, String id) {
        for (int at = message.indexOf(id); at >= 0; at = message.indexOf(id, at + 1)) {
            if (isBoundary(message, at - 1) && isBoundary(message, at + id.length())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isBoundary(String text, int at) {
        return at < 0 || at >= text.length() || !Character.isLetterOrDigit(text.charAt(at));
    }

    /** For steps on existing rows: the step and its values. */
    static OutboxStoreException failed(String step, EventTable table, @Nullable String eventId, SQLException e) {
        String event = eventId == null ? "" : " for event " + eventId;
        return new OutboxStoreException(step + " on " + table + " failed" + event + ": " + code(e), e);
    }

    /** State and code only: the database's message may contain the row, and with it the payload. */
    private static String code(SQLException e) {
        return "SQLState " + e.getSQLState() + ", error " + e.getErrorCode() + " (see the cause)";
    }
}
