package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.control.db.Flavor;
import outbox.control.db.Sql;

/**
 * Finds the ids of a page. Where an index leads to exactly what is asked for, it is read from the cursor on. Where it
 * does not, a bounded number of rows is looked at, so that the time of a page does not depend on the size of the
 * table: what was not found within the bound is left to the next page, which starts where this one stopped.
 */
final class EventSearch {
    /** Nodes' clocks may differ from each other, and an id is made before its row is. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(10);

    private static final String ID = "event_id";
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

    /** Up to {@code limit} matches behind {@code after}, and the last row looked at if there may be more. */
    Slice find(Connection conn, @Nullable Cursor after, int limit) throws SQLException {
        List<Cursor> matches = new ArrayList<>();
        Cursor frontier = null;
        for (Walk walk : Walk.to(filter.states(), flavor, traits.retriesIndexed(conn))) {
            Slice slice = along(conn, walk, after, limit);
            matches.addAll(slice.matches());
            if (slice.frontier() != null && (frontier == null || order.compare(slice.frontier(), frontier) < 0)) {
                frontier = slice.frontier();
            }
        }
        matches.sort(order);
        if (frontier != null) {
            Cursor end = frontier;
            matches.removeIf(match -> order.compare(match, end) > 0); // others may lie in between, on another walk
        }
        if (matches.size() > limit) {
            List<Cursor> page = matches.subList(0, limit);
            return new Slice(List.copyOf(page), page.get(limit - 1));
        }
        return new Slice(List.copyOf(matches), frontier);
    }

    private Slice along(Connection conn, Walk walk, @Nullable Cursor after, int limit) throws SQLException {
        if (isAnsweredBy(walk)) {
            Sql sql = new Sql(flavor, "SELECT " + key(walk) + " FROM " + application.table());
            range(conn, sql, walk, after).add(orderBy(walk)).add(" LIMIT ?", limit + 1);
            List<Cursor> rows = sql.query(conn, row -> cursor(row, walk));
            return rows.size() <= limit
                    ? new Slice(rows, null)
                    : new Slice(rows.subList(0, limit), rows.get(limit - 1));
        }
        Sql sql = new Sql(
                flavor,
                "SELECT " + key(walk) + " FROM (SELECT " + key(walk)
                        + ", event_type, aggregate_type, aggregate_id, tenant_id, status AS st, created_at AS born, last_error"
                        + " FROM " + application.table());
        range(conn, sql, walk, after).add(orderBy(walk)).add(" LIMIT ?) looked_at WHERE 1 = 1", scanLimit);
        conditions(sql);
        sql.add(orderBy(walk)).add(" LIMIT ?", limit + 1);
        List<Cursor> rows = sql.query(conn, row -> cursor(row, walk));
        if (rows.size() > limit) {
            return new Slice(rows.subList(0, limit), rows.get(limit - 1));
        }
        Sql last = new Sql(flavor, "SELECT " + key(walk) + " FROM " + application.table());
        range(conn, last, walk, after).add(orderBy(walk)).add(" LIMIT 1 OFFSET ?", scanLimit - 1);
        return new Slice(rows, last.first(conn, row -> cursor(row, walk)));
    }

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
        return walk.timeColumn() == null ? ID : ID + ", " + walk.timeColumn();
    }

    private Cursor cursor(java.sql.ResultSet row, Walk walk) throws SQLException {
        return new Cursor(walk.timeColumn() == null ? null : flavor.time(row, 2), row.getString(1));
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
            sql.add(" AND st IN ")
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
            sql.add(" AND born >= ?", filter.from());
        }
        if (filter.to() != null) {
            sql.add(" AND born <= ?", filter.to());
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
