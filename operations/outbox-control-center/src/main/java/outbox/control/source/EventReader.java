package outbox.control.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate.RowMapper;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
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

    private static final int PENDING_CAP = 2 * (COUNT_CAP + 1);

    /** Rows that one statement looks at where no index leads to what is asked for. */
    static final int SCAN_LIMIT = 2_000;
    /** How long one page goes on looking before it shows what it has. */
    private static final long SEARCH_NANOS = Duration.ofMillis(100).toNanos();

    private static final int NEIGHBOURS = 10;
    /** Neighbours are mostly near; a page must not wait for those that are not. */
    private static final int NEIGHBOUR_SCAN = 2_000;

    private static final String LIST_COLUMNS = "event_id, event_type, aggregate_type, aggregate_id, tenant_id, status,"
            + " attempts, available_at, created_at, done_at, locked_by, SUBSTRING(last_error, 1, 400), locked_at";
    private static final int LIST_COLUMN_COUNT = 13;

    private final Application application;
    private final Flavor flavor;
    private final String table;
    private final int scanLimit;
    private final TableTraits traits;

    public EventReader(Application application) {
        this(application, SCAN_LIMIT);
    }

    EventReader(Application application, int scanLimit) {
        this.application = application;
        this.flavor = application.flavor();
        this.table = application.table();
        this.scanLimit = scanLimit;
        this.traits = new TableTraits(application);
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
            EventSearch search = new EventSearch(application, filter, newestFirst, traits, scanLimit);
            List<EventSummary> found = new ArrayList<>();
            Cursor at = cursor == null ? null : Cursor.decode(cursor);
            Patience patience = new Patience(System.nanoTime() + SEARCH_NANOS);
            boolean more;
            do {
                Slice<EventSummary> slice = search.find(conn, at, limit - found.size(), LIST_COLUMNS, this::summary);
                found.addAll(slice.rows());
                at = slice.frontier();
                more = at != null;
            } while (more && found.size() < limit && patience.lastsForAnother());
            boolean partial = more && found.size() < limit;
            return new EventPage(
                    List.copyOf(found), at == null ? null : at.encode(), partial, partial ? reached(at) : null);
        }
    }

    /**
     * Counts what a filter finds, oldest first, until there are {@code cap} of them or the time is over.
     *
     * @param sample of how many the ids are wanted
     * @param end as by {@link System#nanoTime}; at least one look is taken
     */
    public EventCount count(EventFilter filter, int cap, int sample, long end) throws SQLException {
        if (cap <= 0) {
            return new EventCount(0, true, List.of());
        }
        try (Connection conn = connection()) {
            EventSearch search = new EventSearch(application, filter, false, traits, scanLimit);
            Patience patience = new Patience(end);
            List<String> first = new ArrayList<>();
            int count = 0;
            Cursor at = null;
            do {
                int wanted = Math.min(cap - count, scanLimit);
                Slice<String> slice = search.find(conn, at, wanted, "event_id", row -> row.getString(1));
                count += slice.matches().size();
                slice.rows().stream().limit(sample - first.size()).forEach(first::add);
                at = slice.frontier();
            } while (at != null && count < cap && patience.lastsForAnother());
            return new EventCount(count, at != null, first);
        }
    }

    /** The last events of a state along its index, as far as one look finds them. */
    <T> Slice<T> last(Connection conn, EventState state, int limit, String columns, RowMapper<? extends T> mapper)
            throws SQLException {
        return new EventSearch(application, EventFilter.ALL.withStates(state), true, traits, scanLimit)
                .find(conn, null, limit, columns, mapper);
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
            boolean withSeq = traits.isOrdered(conn);
            return new Sql(
                            flavor,
                            "SELECT " + LIST_COLUMNS + ", last_error, headers, "
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
        try (Connection conn = connection()) {
            List<EventSummary> before = new ArrayList<>(near(conn, same, true, here));
            Collections.reverse(before);
            List<EventSummary> after = near(conn, same, false, here);
            return new Neighbours(before, after, traits.isOrdered(conn) ? blockers(conn, event) : List.of());
        }
    }

    private List<EventSummary> near(Connection conn, EventFilter same, boolean newestFirst, Cursor here)
            throws SQLException {
        return new EventSearch(application, same, newestFirst, traits, Math.min(scanLimit, NEIGHBOUR_SCAN))
                .find(conn, here, NEIGHBOURS, LIST_COLUMNS, this::summary)
                .rows();
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

    /**
     * How many events are in each state; each count ends at {@link #COUNT_CAP} plus one. It is never too high; it may be too
     * low for new events while more than {@link #COUNT_CAP} are to be tried again.
     */
    public Map<EventState, Integer> counts() throws SQLException {
        Map<EventState, Integer> counts = new EnumMap<>(EventState.class);
        try (Connection conn = connection()) {
            int retrying = count(conn, EventState.RETRY);
            counts.put(EventState.RETRY, retrying);
            counts.put(EventState.NEW, countNew(conn, retrying));
            counts.put(EventState.DEAD, count(conn, EventState.DEAD));
            counts.put(EventState.DONE, count(conn, EventState.DONE));
        }
        return counts;
    }

    private int count(Connection conn, EventState state) throws SQLException {
        boolean shared = flavor.hasPartialIndexes() && state == EventState.RETRY && !traits.retriesIndexed(conn);
        return shared
                ? countPending(conn, state)
                : countUpTo(conn, COUNT_CAP + 1, table + " WHERE status = " + state.code());
    }

    /** What is pending and not to be tried again is new: an index alone tells that, where the state is not in it. */
    private int countNew(Connection conn, int retrying) throws SQLException {
        if (!flavor.hasPartialIndexes()) {
            return count(conn, EventState.NEW);
        }
        if (retrying > COUNT_CAP || !traits.retriesIndexed(conn)) {
            return countPending(conn, EventState.NEW);
        }
        int pending = countUpTo(conn, PENDING_CAP, table + " WHERE status IN (0, 2)");
        return Math.max(0, Math.min(pending - retrying, COUNT_CAP + 1));
    }

    /** Looks at no more rows than make the count right as long as the other pending state is below its cap. */
    private int countPending(Connection conn, EventState state) throws SQLException {
        return countUpTo(
                conn,
                COUNT_CAP + 1,
                "(SELECT status FROM " + table + " WHERE status IN (0, 2) LIMIT " + PENDING_CAP
                        + ") pending WHERE status = " + state.code());
    }

    private int countUpTo(Connection conn, int cap, String rows) throws SQLException {
        Integer count = new Sql(flavor, "SELECT COUNT(*) FROM (SELECT 1 AS one FROM " + rows + " LIMIT ?) capped", cap)
                .first(conn, row -> row.getInt(1));
        return count == null ? 0 : count;
    }

    /**
     * New events that are due later.
     *
     * @param scheduled written to be delivered later
     * @param heldBack released by a node until later: by an open breaker, a pause, or a limit
     */
    public record Later(int scheduled, int heldBack) {}

    /** Counts the new events that are due later; both counts together end at {@link #COUNT_CAP} plus one. */
    public Later later() throws SQLException {
        try (Connection conn = connection()) {
            Later later = new Sql(
                            flavor,
                            "SELECT COUNT(*), COUNT(locked_at) FROM (SELECT locked_at FROM " + table
                                    + " WHERE status = 0 AND available_at > ? AND locked_by IS NULL"
                                    + " ORDER BY available_at LIMIT ?) later",
                            flavor.clock(conn),
                            COUNT_CAP + 1)
                    .first(conn, row -> new Later(row.getInt(1) - row.getInt(2), row.getInt(2)));
            return later == null ? new Later(0, 0) : later;
        }
    }

    /**
     * How long the oldest undelivered event has been due, by the database's clock; {@code null} if there is none, or if the
     * table does not know.
     */
    public @Nullable Duration oldestPendingAge() throws SQLException {
        if (application.isDeliveredFromLog()) {
            return null;
        }
        try (Connection conn = connection()) {
            return application.store().oldestPendingAge(conn);
        }
    }

    /** Whether the table keeps an order. */
    public boolean isOrdered() throws SQLException {
        try (Connection conn = connection()) {
            return traits.isOrdered(conn);
        }
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
                state.isPending() && lockedBy == null && row.getObject(LIST_COLUMN_COUNT) != null,
                error == null ? null : error.lines().findFirst().orElse(""));
    }

    private EventDetail detail(ResultSet row, boolean withSeq) throws SQLException {
        return new EventDetail(
                summary(row),
                flavor.optionalTime(row, LIST_COLUMN_COUNT),
                row.getString(LIST_COLUMN_COUNT + 1),
                headers(row.getString(LIST_COLUMN_COUNT + 2)),
                row.getLong(LIST_COLUMN_COUNT + 3),
                withSeq ? row.getLong(LIST_COLUMN_COUNT + 4) : null);
    }

    /** A row that other hands wrote may hold anything, such as a secret that cannot be told from the rest and masked. */
    private static Map<String, String> headers(@Nullable String stored) {
        try {
            return JsonCodec.getDefault().parseObject(stored);
        } catch (RuntimeException e) {
            return Map.of(
                    "(unreadable)",
                    String.valueOf(stored).length()
                            + " characters that are no JSON object of texts: look at them in the table");
        }
    }

    private Connection connection() throws SQLException {
        return application.dataSource().getConnection();
    }
}
