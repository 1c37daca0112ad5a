package outbox.control.live;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;

/**
 * The metrics of past days, in the control center's own tables: one row per minute for a day, one per quarter of an hour
 * for 30 days. They are kept when rows of events are deleted, and reading them does not read the outbox table.
 * Thread-safe.
 */
public final class History {
    static final Duration MINUTE = Duration.ofMinutes(1);
    static final Duration QUARTER = Duration.ofMinutes(15);
    private static final Duration MINUTES_KEPT = Duration.ofHours(25);
    private static final Duration QUARTERS_KEPT = Duration.ofDays(31);
    /** The longest range that is read by minutes. */
    private static final Duration BY_MINUTES = Duration.ofHours(24);

    private static final int MAX_POINTS = 480;
    private static final String COLUMNS = "bucket_at, minutes, oldest_seconds, waiting, held_back, retrying, dead,"
            + " written, delivered, failed, lag_p50_millis, lag_p95_millis, node_starts";

    private final DataSource dataSource;
    private final Flavor flavor;

    public History(DataSource dataSource) {
        this.dataSource = dataSource;
        this.flavor = Flavor.detect(dataSource);
    }

    /**
     * Stores a minute and adds it to its quarter of an hour. If another control center has stored this minute, nothing
     * changes.
     *
     * @return whether it was stored
     */
    boolean add(String application, HistoryPoint minute) throws SQLException {
        try {
            UnitOfWork.run(dataSource::getConnection, conn -> {
                insert(conn, application, MINUTE, minute);
                addToQuarter(conn, application, minute);
                forget(conn, application, MINUTE, minute.at().minus(MINUTES_KEPT));
                forget(conn, application, QUARTER, minute.at().minus(QUARTERS_KEPT));
                return minute;
            });
            return true;
        } catch (SQLException e) {
            String state = e.getSQLState();
            if (state != null && state.startsWith("23")) { // the key exists
                return false;
            }
            throw e;
        }
    }

    private void addToQuarter(Connection conn, String application, HistoryPoint minute) throws SQLException {
        Instant at = minute.startOf(QUARTER);
        HistoryPoint before = new Sql(
                        flavor,
                        "SELECT " + COLUMNS + " FROM outbox_cc_history WHERE application = ? AND seconds = ?"
                                + " AND bucket_at = ? FOR UPDATE",
                        application,
                        QUARTER.toSeconds(),
                        at)
                .first(conn, this::point);
        if (before != null) {
            new Sql(
                            flavor,
                            "DELETE FROM outbox_cc_history WHERE application = ? AND seconds = ? AND bucket_at = ?",
                            application,
                            QUARTER.toSeconds(),
                            at)
                    .update(conn);
        }
        insert(
                conn,
                application,
                QUARTER,
                HistoryPoint.merged(at, before == null ? List.of(minute) : List.of(before, minute)));
    }

    private void insert(Connection conn, String application, Duration interval, HistoryPoint point)
            throws SQLException {
        new Sql(
                        flavor,
                        "INSERT INTO outbox_cc_history (application, seconds, " + COLUMNS
                                + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        application,
                        interval.toSeconds(),
                        point.at(),
                        point.minutes(),
                        point.oldestSeconds(),
                        point.waiting(),
                        point.heldBack(),
                        point.retry(),
                        point.dead(),
                        point.written(),
                        point.delivered(),
                        point.failed(),
                        point.lagP50Millis(),
                        point.lagP95Millis(),
                        point.nodeStarts())
                .update(conn);
    }

    private void forget(Connection conn, String application, Duration interval, Instant before) throws SQLException {
        new Sql(
                        flavor,
                        "DELETE FROM outbox_cc_history WHERE application = ? AND seconds = ? AND bucket_at < ?",
                        application,
                        interval.toSeconds(),
                        before)
                .update(conn);
    }

    /**
     * The points of the last minutes, hours or days, oldest first; intervals without a sample are missing.
     *
     * @param interval of each point
     */
    public record Range(Duration interval, List<HistoryPoint> points) {}

    /** At most {@value #MAX_POINTS} points: of a long range, several intervals are merged into one. */
    public Range range(String application, Duration length, Instant end) throws SQLException {
        Duration stored = length.compareTo(BY_MINUTES) <= 0 ? MINUTE : QUARTER;
        List<HistoryPoint> found = UnitOfWork.run(
                dataSource::getConnection,
                conn -> new Sql(
                                flavor,
                                "SELECT " + COLUMNS + " FROM outbox_cc_history WHERE application = ? AND seconds = ?"
                                        + " AND bucket_at > ? AND bucket_at <= ? ORDER BY bucket_at",
                                application,
                                stored.toSeconds(),
                                end.minus(length),
                                end)
                        .query(conn, this::point));
        long most = stored.toSeconds() * MAX_POINTS;
        long merged = (length.toSeconds() + most - 1) / most;
        Duration interval = stored.multipliedBy(merged);
        if (merged == 1) {
            return new Range(interval, found);
        }
        List<HistoryPoint> points = new ArrayList<>();
        found.stream()
                .collect(Collectors.groupingBy(point -> point.startOf(interval), TreeMap::new, Collectors.toList()))
                .forEach((at, group) -> points.add(HistoryPoint.merged(at, group)));
        return new Range(interval, List.copyOf(points));
    }

    private HistoryPoint point(ResultSet row) throws SQLException {
        return new HistoryPoint(
                flavor.time(row, 1),
                row.getInt(2),
                row.getDouble(3),
                row.getInt(4),
                row.getInt(5),
                row.getInt(6),
                row.getInt(7),
                row.getDouble(8),
                row.getDouble(9),
                optional(row, 10),
                optional(row, 11),
                optional(row, 12),
                row.getInt(13));
    }

    private static @Nullable Double optional(ResultSet row, int column) throws SQLException {
        double value = row.getDouble(column);
        return row.wasNull() ? null : value;
    }
}
