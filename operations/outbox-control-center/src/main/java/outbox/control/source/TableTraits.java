package outbox.control.source;

import java.sql.Connection;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;

/** Properties of an outbox table that queries depend on; determined once. Thread-safe. */
final class TableTraits {
    private static final int ID_SAMPLE = 20;
    private static final List<String> AGGREGATE_INDEX = List.of("aggregate_id", "event_id");
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Flavor flavor;
    private final String table;
    private volatile @Nullable Boolean idsAreTimes;
    private volatile @Nullable Boolean ordered;
    private volatile boolean retriesIndexed;
    private volatile boolean aggregatesIndexed;
    private volatile @Nullable Long aggregatesLookedAt;

    TableTraits(Application application) {
        this.flavor = application.flavor();
        this.table = application.table();
    }

    /** Samples the lowest and highest ids: ids of another kind would sort there. */
    boolean idsAreTimes(Connection conn) throws SQLException {
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

    /** Whether the table is for ordered delivery. */
    boolean isOrdered(Connection conn) throws SQLException {
        Boolean known = ordered;
        if (known == null) {
            known = !new Sql(flavor, "SELECT * FROM " + table + " WHERE 1 = 0")
                    .columns(conn, TableTraits::hasSeq)
                    .isEmpty();
            ordered = known;
        }
        return known;
    }

    private static boolean hasSeq(ResultSetMetaData columns, int index) throws SQLException {
        return columns.getColumnLabel(index).equalsIgnoreCase(EventTable.SEQ);
    }

    /** See {@link Flavor#indexesRetries}; the index may be added at any time. */
    boolean retriesIndexed(Connection conn) throws SQLException {
        if (!retriesIndexed) {
            retriesIndexed = flavor.indexesRetries(conn, table);
        }
        return retriesIndexed;
    }

    /** Whether there is the optional index for searches by aggregate; it may be added at any time. */
    boolean aggregatesIndexed(Connection conn) throws SQLException {
        Long lookedAt = aggregatesLookedAt;
        if (!aggregatesIndexed && (lookedAt == null || System.nanoTime() - lookedAt > LOOK_AGAIN_NANOS)) {
            aggregatesIndexed = flavor.hasIndex(conn, table, AGGREGATE_INDEX);
            aggregatesLookedAt = System.nanoTime();
        }
        return aggregatesIndexed;
    }
}
