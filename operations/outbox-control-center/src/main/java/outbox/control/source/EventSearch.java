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
 * Finds the events of a page. Where an index leads to exactly what is asked for, it is read from the cursor on. Where it
 * does not, a bounded number of rows is looked at, so that the time of a page does not depend on the size of the
 * table: what was not found within the bound is left to the next page, which starts where this one stopped.
 */
final class EventSearch {
    /** Nodes' clocks may differ from each other, and an id is made before its row is. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(10);

    private static final String ID = "event_id";
    /** All that is known of an event where no payload is read. */
    private static final String LOOKED_AT = "event_id, event_type, aggregate_type, aggregate_id, tenant_id, status,"
            + " attempts, available_at, created_at, done_at, locked_by, last_error, locked_at";
    /** Comes after all characters of ids. A range keeps to the index whatever plan the database reuses; LIKE does not. */
    private static final char LAST = '\uffff';

    private final Application application;
    private final Flavor flavor;
    private final EventFilter filter;
    private final boolean newestFirst;
    private final TableTraits traits;
    private final int scanLimit;
    private final Comparator<Cursor> order;

    EventSearch(Application application, EventFilter filter, boolean newestFirst, TableTraits traits, int scanLimit) {
        this.application = application;
        this.flavor = application.flavor();
        this.filter = filter;
        this.newestFirst = newestFirst;
        this.traits = traits;
        this.scanLimit = scanLimit;
        Comparator<Cursor> ascending = Comparator.<Cursor, Instant>comparing(
                        cursor -> cursor.time() == null ? Instant.EPOCH : cursor.time())
                .thenComparing(Cursor::id);
        this.order = newestFirst ? ascending.reversed() : ascending;
    }

    /**
     * Up to {@code limit} matches behind {@code after}, and the last row looked at if there may be more.
     *
     * @param columns what to read of a match: some of {@link #LOOKED_AT}, or what is made of them
     * @param mapper reads them, from column 1 on
     */
    <T> Slice<T> find(Connection conn, @Nullable Cursor after, int limit, String columns, RowMapper<? extends T> mapper)
            throws SQLException {
        List<Match<T>> matches = new ArrayList<>();
        Cursor frontier = null;
        for (Walk walk : Walk.to(filter.states(), flavor, traits.retriesIndexed(conn))) {
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
            matches.removeIf(match -> order.compare(match.at(), end) > 0); // others may lie in between, on another walk
        }
        return upTo(limit, matches, frontier);
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
     * Looks at a bounded number of rows in one statement: the matches among them, and the last one in any case, from which
     * the next look goes on. Where the database sees that the order is that of the index, it stops at the last match wanted.
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

    /** A row that was looked at, and whether it is one that is wanted. */
    private record Looked<T>(long nth, boolean hit, Match<T> match) {}

    /** Whether all rows along the walk match, so that none is looked at in vain. */
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
        if (!filter.states().isEmpty()) {
            sql.add(" AND status IN ")
                    .addList(filter.states().stream().map(EventState::code).toList());
        }
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
