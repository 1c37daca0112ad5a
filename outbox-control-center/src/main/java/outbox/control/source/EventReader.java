package outbox.control.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.db.Flavor;
import outbox.control.db.Sql;
import outbox.spi.LeasingOutboxStore;
import outbox.util.JsonCodec;

/**
 * Reads one application's outbox table on connections of its own, and changes nothing. No statement looks at more rows
 * than a bound, whatever the size of the table. Thread-safe.
 */
public final class EventReader {
    /** The largest page. */
    public static final int MAX_PAGE = 200;
    /** Counts end here. */
    public static final int COUNT_CAP = 10_000;

    /** Rows that one statement looks at where no index leads to what is asked for. */
    static final int SCAN_LIMIT = 10_000;
    /** How long one page goes on looking before it shows what it has. */
    private static final long SEARCH_NANOS = Duration.ofMillis(150).toNanos();

    private static final int NEIGHBOURS = 10;
    /** Neighbours are mostly near; a page must not wait for those that are not. */
    private static final int NEIGHBOUR_SCAN = 4_000;

    private static final int ID_SAMPLE = 20;
    private static final String LIST_COLUMNS = "event_id, event_type, aggregate_type, aggregate_id, tenant_id, status,"
            + " attempts, available_at, created_at, done_at, locked_by, SUBSTRING(last_error, 1, 400)";
    private static final int LIST_COLUMN_COUNT = 12;

    private final Application application;
    private final Flavor flavor;
    private final String table;
    private final int scanLimit;
    private volatile @Nullable Boolean idsAreTimes;
    private volatile @Nullable Boolean ordered;

    public EventReader(Application application) {
        this(application, SCAN_LIMIT);
    }

    EventReader(Application application, int scanLimit) {
        this.application = application;
        this.flavor = application.flavor();
        this.table = application.table();
        this.scanLimit = scanLimit;
    }

    /**
     * A page of events.
     *
     * @param cursor {@link EventPage#next} of the page before; {@code null} for the first
     * @throws IllegalArgumentException if the cursor is not one
     */
    public EventPage page(EventFilter filter, boolean newestFirst, @Nullable String cursor, int size)
            throws SQLException {
        int limit = Math.max(1, Math.min(size, MAX_PAGE));
        try (Connection conn = connection()) {
            EventSearch search = new EventSearch(application, filter, newestFirst, idsAreTimes(conn), scanLimit);
            List<Cursor> found = new ArrayList<>();
            Cursor at = cursor == null ? null : Cursor.decode(cursor);
            long start = System.nanoTime();
            boolean more;
            do {
                Slice slice = search.find(conn, at, limit - found.size());
                found.addAll(slice.matches());
                at = slice.frontier();
                more = at != null;
            } while (more && found.size() < limit && System.nanoTime() - start < SEARCH_NANOS);
            boolean partial = more && found.size() < limit;
            return new EventPage(
                    summaries(conn, found.stream().map(Cursor::id).toList()),
                    at == null ? null : at.encode(),
                    partial,
                    partial ? reached(at) : null);
        }
    }

    /** These events, in the given order; those that are not there are left out. */
    public List<EventSummary> events(List<String> ids) throws SQLException {
        try (Connection conn = connection()) {
            return summaries(conn, ids);
        }
    }

    private static @Nullable Instant reached(@Nullable Cursor at) {
        if (at == null) {
            return null;
        }
        return at.time() != null ? at.time() : UlidTimes.timeOf(at.id());
    }

    /** @return {@code null} if there is no such event */
    public @Nullable EventDetail event(String id) throws SQLException {
        try (Connection conn = connection()) {
            boolean withSeq = isOrdered(conn);
            return new Sql(
                            flavor,
                            "SELECT " + LIST_COLUMNS + ", locked_at, last_error, headers, "
                                    + flavor.byteLength("payload") + (withSeq ? ", seq" : "") + " FROM " + table
                                    + " WHERE event_id = ?",
                            id)
                    .first(conn, row -> detail(row, withSeq));
        }
    }

    /** The payload as it is stored: JSON text, or bytes in their JSON form. @return {@code null} if there is no event */
    public @Nullable String payload(String id) throws SQLException {
        try (Connection conn = connection()) {
            return new Sql(flavor, "SELECT payload FROM " + table + " WHERE event_id = ?", id)
                    .first(conn, row -> row.getString(1));
        }
    }

    /** Events of the same aggregate around one, oldest first. */
    public Neighbours neighbours(EventSummary event) throws SQLException {
        if (event.aggregateId() == null) {
            return new Neighbours(List.of(), List.of(), List.of());
        }
        EventFilter same = EventFilter.ALL.withAggregate(event.aggregateType(), event.aggregateId());
        Cursor here = new Cursor(null, event.id());
        int near = Math.min(scanLimit, NEIGHBOUR_SCAN);
        try (Connection conn = connection()) {
            List<EventSummary> before = new ArrayList<>(summaries(
                    conn, ids(new EventSearch(application, same, true, false, near).find(conn, here, NEIGHBOURS))));
            java.util.Collections.reverse(before);
            List<EventSummary> after = summaries(
                    conn, ids(new EventSearch(application, same, false, false, near).find(conn, here, NEIGHBOURS)));
            return new Neighbours(before, after, isOrdered(conn) ? blockers(conn, event) : List.of());
        }
    }

    private static List<String> ids(Slice slice) {
        return slice.matches().stream().map(Cursor::id).toList();
    }

    /** Rows in front of it that must be delivered, skipped or parked first. */
    private List<EventSummary> blockers(Connection conn, EventSummary event) throws SQLException {
        if (!event.state().isPending()) {
            return List.of();
        }
        return new Sql(
                        flavor,
                        "SELECT " + LIST_COLUMNS + " FROM " + table + " WHERE aggregate_id = ? AND aggregate_type = ?"
                                + " AND status IN (0, 2, 3) AND seq < (SELECT seq FROM " + table
                                + " WHERE event_id = ?) AND (status <> 3 OR locked_by IS NULL OR locked_by <> ?)"
                                + " ORDER BY seq LIMIT ?",
                        event.aggregateId(),
                        event.aggregateType(),
                        event.id(),
                        LeasingOutboxStore.PARKED,
                        NEIGHBOURS)
                .query(conn, this::summary);
    }

    /** How many events are in each state; each count ends at {@link #COUNT_CAP} plus one. */
    public Map<EventState, Integer> counts() throws SQLException {
        Map<EventState, Integer> counts = new HashMap<>();
        try (Connection conn = connection()) {
            for (EventState state : EventState.values()) {
                counts.put(state, count(conn, state));
            }
        }
        return counts;
    }

    private int count(Connection conn, EventState state) throws SQLException {
        // On PostgreSQL NEW and RETRY share an index; saying so keeps the planner on it.
        String pending = state.isPending() && flavor.hasPartialIndexes() ? "status IN (0, 2) AND " : "";
        Integer count = new Sql(
                        flavor,
                        "SELECT COUNT(*) FROM (SELECT 1 AS one FROM " + table + " WHERE " + pending + "status = "
                                + state.code() + " LIMIT ?) capped",
                        COUNT_CAP + 1)
                .first(conn, row -> row.getInt(1));
        return count == null ? 0 : count;
    }

    /** How long the oldest undelivered event has been due, by the database's clock; {@code null} if there is none. */
    public @Nullable Duration oldestPendingAge() throws SQLException {
        try (Connection conn = connection()) {
            return application.store().oldestPendingAge(conn);
        }
    }

    /** Whether the table keeps an order. */
    public boolean isOrdered() throws SQLException {
        try (Connection conn = connection()) {
            return isOrdered(conn);
        }
    }

    private boolean isOrdered(Connection conn) throws SQLException {
        Boolean known = ordered;
        if (known == null) {
            known = !new Sql(flavor, "SELECT * FROM " + table + " WHERE 1 = 0")
                    .columns(conn, EventReader::hasSeq)
                    .isEmpty();
            ordered = known;
        }
        return known;
    }

    private static boolean hasSeq(ResultSetMetaData columns, int index) throws SQLException {
        return columns.getColumnLabel(index).equalsIgnoreCase("seq");
    }

    /** Looks at both ends of the ids: those of another kind would sort there. */
    private boolean idsAreTimes(Connection conn) throws SQLException {
        Boolean known = idsAreTimes;
        if (known == null) {
            List<String> ends = new ArrayList<>();
            for (String direction : List.of("", " DESC")) {
                ends.addAll(new Sql(
                                flavor,
                                "SELECT event_id FROM " + table + " ORDER BY event_id" + direction + " LIMIT ?",
                                ID_SAMPLE)
                        .query(conn, row -> row.getString(1)));
            }
            known = ends.stream().allMatch(UlidTimes::isUlid);
            if (ends.size() == 2 * ID_SAMPLE || !known) {
                idsAreTimes = known;
            }
        }
        return known;
    }

    private List<EventSummary> summaries(Connection conn, List<String> ids) throws SQLException {
        if (ids.isEmpty()) {
            return List.of();
        }
        Map<String, EventSummary> byId = new HashMap<>();
        new Sql(flavor, "SELECT " + LIST_COLUMNS + " FROM " + table + " WHERE event_id IN ")
                .addList(ids)
                .query(conn, this::summary)
                .forEach(event -> byId.put(event.id(), event));
        return ids.stream().map(byId::get).filter(java.util.Objects::nonNull).toList();
    }

    private EventSummary summary(ResultSet row) throws SQLException {
        EventState state = EventState.of(row.getInt(6));
        String lockedBy = row.getString(11);
        boolean parked = state == EventState.DEAD && LeasingOutboxStore.PARKED.equals(lockedBy);
        String error = row.getString(12);
        return new EventSummary(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                state,
                parked,
                row.getInt(7),
                flavor.time(row, 8),
                flavor.time(row, 9),
                flavor.optionalTime(row, 10),
                parked ? null : lockedBy,
                error == null ? null : error.lines().findFirst().orElse(""));
    }

    private EventDetail detail(ResultSet row, boolean withSeq) throws SQLException {
        return new EventDetail(
                summary(row),
                flavor.optionalTime(row, LIST_COLUMN_COUNT + 1),
                row.getString(LIST_COLUMN_COUNT + 2),
                headers(row.getString(LIST_COLUMN_COUNT + 3)),
                row.getLong(LIST_COLUMN_COUNT + 4),
                withSeq ? row.getLong(LIST_COLUMN_COUNT + 5) : null);
    }

    /** A row that other hands wrote may hold anything; it is shown all the same. */
    private static Map<String, String> headers(@Nullable String stored) {
        try {
            return JsonCodec.getDefault().parseObject(stored);
        } catch (RuntimeException e) {
            return Map.of("(unreadable)", String.valueOf(stored));
        }
    }

    private Connection connection() throws SQLException {
        return application.dataSource().getConnection();
    }
}
