package outbox.control.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate.RowMapper;
import outbox.jdbc.payload.PayloadTable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.LeasingOutboxStore;
import outbox.util.JsonCodec;

/**
 * Reads one application's outbox table and changes nothing. Every statement reads a bounded number of rows, whatever
 * the size of the table. Thread-safe.
 */
public final class EventReader {
    /** The value of {@link PayloadTable#HEADER}. */
    private static final Pattern PAYLOAD_ELSEWHERE = Pattern.compile("(\\d{1,18}) bytes in (\\S+)");

    /** Maximum page size. */
    public static final int MAX_PAGE = 200;
    /** Counts end here. */
    public static final int COUNT_CAP = 10_000;

    /** Maximum rows per statement without a matching index. */
    static final int SCAN_LIMIT = 2_000;
    /** Maximum search time of one page. */
    private static final long SEARCH_NANOS = Duration.ofMillis(100).toNanos();

    private static final int NEIGHBOURS = 10;
    /** Search time for neighbours, which are usually close. */
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
     * @param cursor {@link EventPage#next} of the previous page; {@code null} for the first
     * @throws IllegalArgumentException if the cursor is invalid
     */
    public EventPage page(EventFilter filter, boolean newestFirst, @Nullable String cursor, int size)
            throws SQLException {
        int limit = Math.max(1, Math.min(size, MAX_PAGE));
        try (Connection conn = connection()) {
            Instant now = flavor.clock(conn);
            EventSearch search = new EventSearch(application, filter, newestFirst, traits, scanLimit, now);
            List<EventSummary> found = new ArrayList<>();
            Cursor at = cursor == null ? null : Cursor.decode(cursor);
            TimeBudget budget = new TimeBudget(System.nanoTime() + SEARCH_NANOS);
            boolean more;
            do {
                Slice<EventSummary> slice =
                        search.find(conn, at, limit - found.size(), LIST_COLUMNS, row -> summary(row, now));
                found.addAll(slice.rows());
                at = slice.frontier();
                more = at != null;
            } while (more && found.size() < limit && budget.lastsForAnother());
            boolean partial = more && found.size() < limit;
            return new EventPage(
                    List.copyOf(found), at == null ? null : at.encode(), partial, partial ? reached(at) : null);
        }
    }

    /**
     * Counts matching events, oldest first, up to {@code cap} or until the time is over.
     *
     * @param sample how many ids to return
     * @param end as {@link System#nanoTime}; at least one query is made
     */
    public EventCount count(EventFilter filter, int cap, int sample, long end) throws SQLException {
        if (cap <= 0) {
            return new EventCount(0, true, List.of());
        }
        try (Connection conn = connection()) {
            EventSearch search = new EventSearch(application, filter, false, traits, scanLimit, flavor.clock(conn));
            TimeBudget budget = new TimeBudget(end);
            List<String> first = new ArrayList<>();
            int count = 0;
            Cursor at = null;
            do {
                int wanted = Math.min(cap - count, scanLimit);
                Slice<String> slice = search.find(conn, at, wanted, "event_id", row -> row.getString(1));
                count += slice.matches().size();
                slice.rows().stream().limit(sample - first.size()).forEach(first::add);
                at = slice.frontier();
            } while (at != null && count < cap && budget.lastsForAnother());
            return new EventCount(count, at != null, first);
        }
    }

    /** The latest events of a state along its index, as far as one query finds them. */
    <T> Slice<T> last(Connection conn, EventState state, int limit, String columns, RowMapper<? extends T> mapper)
            throws SQLException {
        EventFilter filter = EventFilter.ALL.withStates(state);
        return new EventSearch(application, filter, true, traits, scanLimit, flavor.clock(conn))
                .find(conn, null, limit, columns, mapper);
    }

    /** These events, in the given order; missing ones are omitted. */
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
            Instant now = flavor.clock(conn);
            return new Sql(
                            flavor,
                            "SELECT " + LIST_COLUMNS + ", last_error, headers, "
                                    + flavor.byteLength("payload") + (withSeq ? ", seq" : "") + " FROM " + table
                                    + " WHERE event_id = ?",
                            id)
                    .first(conn, row -> detail(row, withSeq, now));
        }
    }

    /** The stored payload: JSON text, or bytes in their JSON form. @return {@code null} if there is no such event */
    public @Nullable String payload(String id) throws SQLException {
        try (Connection conn = connection()) {
            return new Sql(flavor, "SELECT payload FROM " + table + " WHERE event_id = ?", id)
                    .first(conn, row -> row.getString(1));
        }
    }

    /** Events of the same aggregate before and after this one, oldest first. */
    public Neighbours neighbours(EventSummary event) throws SQLException {
        if (event.aggregateId() == null) {
            return new Neighbours(List.of(), List.of(), List.of());
        }
        EventFilter same = EventFilter.ALL.withAggregate(event.aggregateType(), event.aggregateId());
        Cursor here = new Cursor(null, event.id());
        try (Connection conn = connection()) {
            Instant now = flavor.clock(conn);
            List<EventSummary> before = new ArrayList<>(near(conn, same, true, here, now));
            Collections.reverse(before);
            List<EventSummary> after = near(conn, same, false, here, now);
            return new Neighbours(before, after, traits.isOrdered(conn) ? blockers(conn, event, now) : List.of());
        }
    }

    private List<EventSummary> near(Connection conn, EventFilter same, boolean newestFirst, Cursor here, Instant now)
            throws SQLException {
        return new EventSearch(application, same, newestFirst, traits, Math.min(scanLimit, NEIGHBOUR_SCAN), now)
                .find(conn, here, NEIGHBOURS, LIST_COLUMNS, row -> summary(row, now))
                .rows();
    }

    /** Earlier events of the aggregate that must be delivered, skipped or parked first. */
    private List<EventSummary> blockers(Connection conn, EventSummary event, Instant now) throws SQLException {
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
                .query(conn, row -> summary(row, now));
    }

    /** The number of events in each state; each count ends at {@link #COUNT_CAP} plus one. */
    public Map<EventState, Integer> counts() throws SQLException {
        try (Connection conn = connection()) {
            return new StateCounts(application, traits).read(conn);
        }
    }

    /**
     * Time since the oldest undelivered event became due, by the database's clock; {@code null} if there is none, or if
     * the table does not show it.
     */
    public @Nullable Duration oldestPendingAge() throws SQLException {
        if (application.isDeliveredFromLog()) {
            return null;
        }
        try (Connection conn = connection()) {
            return application.store().oldestPendingAge(conn);
        }
    }

    /** Whether the table is for ordered delivery. */
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
        Instant now = flavor.clock(conn);
        new Sql(flavor, "SELECT " + LIST_COLUMNS + " FROM " + table + " WHERE event_id IN ")
                .addList(ids)
                .query(conn, row -> summary(row, now))
                .forEach(event -> byId.put(event.id(), event));
        return ids.stream().map(byId::get).filter(java.util.Objects::nonNull).toList();
    }

    private EventSummary summary(ResultSet row, Instant now) throws SQLException {
        String lockedBy = row.getString(11);
        Instant due = flavor.time(row, 8);
        EventState state = EventState.of(
                row.getInt(6), lockedBy == null && due.isAfter(now), row.getObject(LIST_COLUMN_COUNT) != null);
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
                due,
                flavor.time(row, 9),
                flavor.optionalTime(row, 10),
                parked ? null : lockedBy,
                error == null ? null : error.lines().findFirst().orElse(""));
    }

    private EventDetail detail(ResultSet row, boolean withSeq, Instant now) throws SQLException {
        Map<String, String> headers = headers(row.getString(LIST_COLUMN_COUNT + 2));
        Matcher elsewhere = PAYLOAD_ELSEWHERE.matcher(headers.getOrDefault(PayloadTable.HEADER, ""));
        boolean inRow = !elsewhere.matches();
        return new EventDetail(
                summary(row, now),
                flavor.optionalTime(row, LIST_COLUMN_COUNT),
                row.getString(LIST_COLUMN_COUNT + 1),
                headers,
                inRow ? row.getLong(LIST_COLUMN_COUNT + 3) : Long.parseLong(elsewhere.group(1)),
                inRow ? null : elsewhere.group(2),
                withSeq ? row.getLong(LIST_COLUMN_COUNT + 4) : null);
    }

    /** Rows written by other programs may contain anything, such as secrets that cannot be recognized and masked. */
    private static Map<String, String> headers(@Nullable String stored) {
        try {
            return JsonCodec.getDefault().parseObject(stored);
        } catch (RuntimeException e) {
            return Map.of(
                    "(unreadable)",
                    String.valueOf(stored).length()
                            + " characters that are not a JSON object of strings: read them from the table");
        }
    }

    private Connection connection() throws SQLException {
        return application.dataSource().getConnection();
    }
}
