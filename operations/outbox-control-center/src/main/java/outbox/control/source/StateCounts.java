package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;

/**
 * Counts the events of each state along its index, up to a cap. Due and later events are counted separately: the
 * difference of two capped counts would be wrong as soon as one of them reaches its cap.
 */
final class StateCounts {
    private static final int CAP = EventReader.COUNT_CAP + 1;
    private static final int PENDING_CAP = 2 * CAP;

    private final Flavor flavor;
    private final String table;
    private final TableTraits traits;
    private final boolean fromLog;

    StateCounts(Application application, TableTraits traits) {
        this.flavor = application.flavor();
        this.table = application.table();
        this.traits = traits;
        this.fromLog = application.isDeliveredFromLog();
    }

    /** The count of new events may be too low, never too high, while more than 10 000 due events wait for a retry. */
    Map<EventState, Integer> read(Connection conn) throws SQLException {
        Instant now = flavor.clock(conn);
        Map<EventState, Integer> counts = new EnumMap<>(EventState.class);
        counts.put(EventState.RETRY, retrying(conn, null));
        counts.put(EventState.DEAD, upTo(conn, CAP, "status = 3"));
        counts.put(EventState.DONE, upTo(conn, CAP, "status = 1"));
        if (fromLog) {
            counts.put(EventState.NEW, upTo(conn, CAP, "status = 0"));
            return counts;
        }
        counts.put(EventState.NEW, due(conn, now));
        later(conn, now, counts);
        return counts;
    }

    private int due(Connection conn, Instant now) throws SQLException {
        if (!flavor.hasPartialIndexes()) {
            return upTo(conn, CAP, "status = 0 AND available_at <= ?", now);
        }
        int retrying = retrying(conn, now);
        if (retrying == CAP || !traits.retriesIndexed(conn)) {
            return amongPending(conn, 0, now);
        }
        // All due minus those that failed: this needs only the indexes, which do not contain the status.
        int pending = upTo(conn, PENDING_CAP, "status IN (0, 2) AND available_at <= ?", now);
        return Math.max(0, Math.min(pending - retrying, CAP));
    }

    /** @param due {@code null} for all, otherwise only those due at this time */
    private int retrying(Connection conn, @Nullable Instant due) throws SQLException {
        if (flavor.hasPartialIndexes() && !traits.retriesIndexed(conn)) {
            return amongPending(conn, 2, due);
        }
        return due == null ? upTo(conn, CAP, "status = 2") : upTo(conn, CAP, "status = 2 AND available_at <= ?", due);
    }

    /** Reads a bounded number of rows; exact as long as the other pending status is below its cap. */
    private int amongPending(Connection conn, int code, @Nullable Instant due) throws SQLException {
        Sql sql = new Sql(
                flavor,
                "SELECT COUNT(*) FROM (SELECT 1 AS one FROM (SELECT status FROM " + table + " WHERE status IN (0, 2)");
        if (due != null) {
            sql.add(" AND available_at <= ?", due);
        }
        return count(conn, sql.add(" LIMIT ?) pending WHERE status = ? LIMIT ?) capped", PENDING_CAP, code, CAP));
    }

    /** Not leased, due later. Both counts together end at the cap. */
    private void later(Connection conn, Instant now, Map<EventState, Integer> counts) throws SQLException {
        int[] found = new Sql(
                        flavor,
                        "SELECT COUNT(*), COUNT(locked_at) FROM (SELECT locked_at FROM " + table
                                + " WHERE status = 0 AND available_at > ? AND locked_by IS NULL"
                                + " ORDER BY available_at LIMIT ?) later",
                        now,
                        CAP)
                .query(conn, row -> new int[] {row.getInt(1), row.getInt(2)})
                .get(0);
        counts.put(EventState.SCHEDULED, found[0] - found[1]);
        counts.put(EventState.HELD, found[1]);
    }

    private int upTo(Connection conn, int cap, String condition, Object... values) throws SQLException {
        Sql sql =
                new Sql(flavor, "SELECT COUNT(*) FROM (SELECT 1 AS one FROM " + table + " WHERE " + condition, values);
        return count(conn, sql.add(" LIMIT ?) capped", cap));
    }

    private static int count(Connection conn, Sql sql) throws SQLException {
        Integer count = sql.first(conn, row -> row.getInt(1));
        return count == null ? 0 : count;
    }
}
