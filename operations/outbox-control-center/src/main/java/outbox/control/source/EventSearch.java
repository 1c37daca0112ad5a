package outbox.control.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.control.source.Slice.Match;
import outbox.jdbc.JdbcTemplate.RowMapper;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;

/**
 * Finds the events of a page. If an index matches the filter exactly, it is read from the cursor on. Otherwise a
 * bounded number of rows is scanned, so that the time of a page does not depend on the size of the table; the next page
 * continues where this one stopped.
 */
final class EventSearch {
    /** Clocks of nodes differ, and an id is generated before its row is inserted. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(10);

    private static final String ID = "event_id";
    /** All columns except payload and headers. */
    private static final String LOOKED_AT = "event_id, event_type, aggregate_type, aggregate_id, tenant_id, status,"
            + " attempts, available_at, created_at, done_at, locked_by, last_error, locked_at";
    /** Sorts after all characters of ids. A range always uses the index; LIKE does not with a cached plan. */
    private static final char LAST = '\uffff';

    private final Application application;
    private final Flavor flavor;
    private final EventFilter filter;
    private final boolean newestFirst;
    private final TableTraits traits;
    private final int scanLimit;
    private final Instant now;
    private final Comparator<Cursor> order;

    /** @param now the database's clock: it decides which events are due later */
    EventSearch(
            Application application,
            EventFilter filter,
            boolean newestFirst,
            TableTraits traits,
            int scanLimit,
            Instant now) {
        this.application = application;
        this.flavor = application.flavor();
        this.filter = filter;
        this.newestFirst = newestFirst;
        this.traits = traits;
        this.scanLimit = scanLimit;
        this.now = now;
        Comparator<Cursor> ascending = Comparator.<Cursor, Instant>comparing(
                        cursor -> cursor.time() == null ? Instant.EPOCH : cursor.time())
                .thenComparing(Cursor::id);
        this.order = newestFirst ? ascending.reversed() : ascending;
    }

    /**
     * Up to {@code limit} matches after {@code after}, and the last row scanned if there may be more.
     *
     * @param columns the columns to read: some of {@link #LOOKED_AT}, or expressions of them
     * @param mapper reads the columns, starting at 1
     */
    <T> Slice<T> find(Connection conn, @Nullable Cursor after, int limit, String columns, RowMapper<? extends T> mapper)
            throws SQLException {
        List<Match<T>> matches = new ArrayList<>();
        Cursor frontier = null;
        for (Walk walk : walks(conn)) {
            Slice<T> slice = isAnsweredBy(walk)
                    ? read(conn, walk, after, limit, columns, mapper)
                    : lookThrough(conn, walk, after, limit, columns, mapper);
            matches.addAll(slice.matches());
            if (slice.frontier() != null && (frontier == null || order.compare(slice.frontier(), frontier) < 0)) {
                frontier = slice.frontier();
            }
        }
        matches.sort(Comparator.comparing(Match::at, order));
        if (frontier != null) {
            Cursor end = frontier;
            matches.removeIf(match -> order.compare(match.at(), end) > 0); // another walk may have events in between
        }
        return upTo(limit, matches, frontier);
    }

    /** Along the index on aggregates, if there is one, only the events of the aggregate are read, whatever their state. */
    private List<Walk> walks(Connection conn) throws SQLException {
        String aggregate = filter.aggregateId();
        return aggregate != null && !aggregate.endsWith("*") && traits.aggregatesIndexed(conn)
                ? List.of(Walk.BY_AGGREGATE)
                : Walk.to(filter.states(), flavor, traits.retriesIndexed(conn));
    }

    private static <T> Slice<T> upTo(int limit, List<Match<T>> matches, @Nullable Cursor frontier) {
        return matches.size() <= limit
                ? new Slice<>(List.copyOf(matches), frontier)
                : new Slice<>(
                        List.copyOf(matches.subList(0, limit)),
                        matches.get(limit - 1).at());
    }

    private <T> Slice<T> read(
            Connection conn,
            Walk walk,
            @Nullable Cursor after,
            int limit,
            String columns,
            RowMapper<? extends T> mapper)
            throws SQLException {
        Sql sql = new Sql(flavor, "SELECT " + columns + ", " + key(walk) + " FROM " + application.table());
        range(conn, sql, walk, after).add(orderBy(walk)).add(" LIMIT ?", limit + 1);
        return upTo(limit, sql.query(conn, row -> new Match<>(cursor(row, walk), mapper.map(row))), null);
    }

    /**
     * Scans a bounded number of rows in one statement and returns the matches and the last row, from which the next
     * scan continues. If the index provides the order, the database stops at the last match needed.
     */
    private <T> Slice<T> lookThrough(
            Connection conn,
            Walk walk,
            @Nullable Cursor after,
            int limit,
            String columns,
            RowMapper<? extends T> mapper)
            throws SQLException {
        Sql sql = new Sql(
                flavor,
                "SELECT " + columns + ", " + key(walk) + ", nth, hit FROM (SELECT looked_at.*, ROW_NUMBER() OVER ("
                        + orderBy(walk).strip() + ") AS nth, CASE WHEN 1 = 1");
        conditions(sql);
        sql.add(" THEN 1 ELSE 0 END AS hit FROM (SELECT " + LOOKED_AT + " FROM " + application.table());
        range(conn, sql, walk, after).add(orderBy(walk)).add(" LIMIT ?) looked_at) judged", scanLimit);
        sql.add(" WHERE hit = 1 OR nth = ?", scanLimit).add(orderBy(walk)).add(" LIMIT ?", limit + 1);
        List<Looked<T>> rows = sql.query(
                conn,
                row -> new Looked<>(
                        row.getLong("nth"), row.getInt("hit") == 1, new Match<>(cursor(row, walk), mapper.map(row))));
        Looked<T> last = rows.isEmpty() ? null : rows.get(rows.size() - 1);
        return upTo(
                limit,
                rows.stream().filter(Looked::hit).map(Looked::match).toList(),
                last != null && last.nth() == scanLimit ? last.match().at() : null);
    }

    /** A scanned row, and whether it matches. */
    private record Looked<T>(long nth, boolean hit, Match<T> match) {}

    /** Whether all rows along the walk match. */
    private boolean isAnsweredBy(Walk walk) {
        return walk.leadsOnlyTo(filter.states())
                && filter.type() == null
                && filter.aggregateType() == null
                && filter.aggregateId() == null
                && filter.tenant() == null
                && filter.error() == null
                && filter.from() == null
                && filter.to() == null
                && (filter.id() == null || walk.timeColumn() == null);
    }

    private static String key(Walk walk) {
        return ID + " AS at_id" + (walk.timeColumn() == null ? "" : ", " + walk.timeColumn() + " AS at_time");
    }

    private Cursor cursor(ResultSet row, Walk walk) throws SQLException {
        return new Cursor(
                walk.timeColumn() == null ? null : flavor.time(row, row.findColumn("at_time")), row.getString("at_id"));
    }

    private Sql range(Connection conn, Sql sql, Walk walk, @Nullable Cursor after) throws SQLException {
        sql.add(" WHERE ").add(walk.condition().isEmpty() ? "1 = 1" : walk.condition());
        if (walk.equals(Walk.BY_AGGREGATE)) {
            sql.add(" AND aggregate_id = ?", filter.aggregateId());
        }
        if (walk.dueLater()) {
            sql.add(" AND available_at > ?", now);
        }
        if (after != null) {
            String beyond = newestFirst ? "<" : ">";
            if (walk.timeColumn() == null) {
                sql.add(" AND " + ID + " " + beyond + " ?", after.id());
            } else {
                Instant time = after.time() == null ? Instant.EPOCH : after.time();
                String column = walk.timeColumn();
                sql.add(
                        " AND " + column + " " + beyond + "= ? AND (" + column + " " + beyond + " ? OR " + ID + " "
                                + beyond + " ?)",
                        time,
                        time,
                        after.id());
            }
        }
        if (walk.timeColumn() == null) {
            idRange(conn, sql);
        }
        return sql;
    }

    private void idRange(Connection conn, Sql sql) throws SQLException {
        boolean byTime = (filter.from() != null || filter.to() != null) && traits.idsAreTimes(conn);
        String id = filter.id();
        if (id != null && id.endsWith("*")) {
            String beginning = id.substring(0, id.length() - 1);
            sql.add(" AND " + ID + " >= ? AND " + ID + " < ?", beginning, beginning + LAST);
        } else {
            match(sql, ID, id);
        }
        if (byTime && filter.from() != null) {
            sql.add(" AND " + ID + " >= ?", UlidTimes.firstAt(filter.from().minus(CLOCK_TOLERANCE)));
        }
        if (byTime && filter.to() != null) {
            sql.add(" AND " + ID + " < ?", UlidTimes.firstAt(filter.to().plus(CLOCK_TOLERANCE)));
        }
    }

    private void conditions(Sql sql) {
        states(sql);
        match(sql, ID, filter.id());
        match(sql, "event_type", filter.type());
        match(sql, "aggregate_type", filter.aggregateType());
        match(sql, "aggregate_id", filter.aggregateId());
        match(sql, "tenant_id", filter.tenant());
        if (filter.error() != null) {
            sql.add(" AND last_error LIKE ? ESCAPE '!'", "%" + escaped(filter.error()) + "%");
        }
        if (filter.from() != null) {
            sql.add(" AND created_at >= ?", filter.from());
        }
        if (filter.to() != null) {
            sql.add(" AND created_at <= ?", filter.to());
        }
    }

    private void states(Sql sql) {
        if (filter.states().isEmpty()) {
            return;
        }
        String or = " AND (";
        for (EventState state : filter.states()) {
            sql.add(or);
            switch (state) {
                case NEW -> sql.add("(status = 0 AND (available_at <= ? OR locked_by IS NOT NULL))", now);
                case SCHEDULED ->
                    sql.add("(status = 0 AND available_at > ? AND locked_by IS NULL AND locked_at IS NULL)", now);
                case HELD ->
                    sql.add("(status = 0 AND available_at > ? AND locked_by IS NULL AND locked_at IS NOT NULL)", now);
                case DONE, RETRY, DEAD -> sql.add("status = " + state.code());
            }
            or = " OR ";
        }
        sql.add(")");
    }

    private static void match(Sql sql, String column, @Nullable String wanted) {
        if (wanted == null) {
            return;
        }
        if (wanted.endsWith("*")) {
            sql.add(" AND " + column + " LIKE ? ESCAPE '!'", escaped(wanted.substring(0, wanted.length() - 1)) + "%");
        } else {
            sql.add(" AND " + column + " = ?", wanted);
        }
    }

    private static String escaped(String text) {
        return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
    }

    private String orderBy(Walk walk) {
        String direction = newestFirst ? " DESC" : "";
        String time = walk.timeColumn();
        return " ORDER BY " + (time == null ? "" : time + direction + ", ") + ID + direction;
    }
}
