package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.LeasingOutboxStore;

/**
 * Finds out what holds back the events of an application. A row does not say why it was released, so the reason is
 * taken from the handlers of its type, as of their last heartbeat. Reads a bounded number of rows. Thread-safe.
 */
public final class HoldReader {
    private static final int CAP = EventReader.COUNT_CAP + 1;
    /** Pending rows searched for blocked ones. */
    private static final int SEARCHED = 2 * CAP;

    private final Application application;
    private final Flavor flavor;
    private final NodeReader nodes;
    private final TableTraits traits;

    public HoldReader(Application application, NodeReader nodes) {
        this.application = application;
        this.flavor = application.flavor();
        this.nodes = nodes;
        this.traits = new TableTraits(application);
    }

    /** The most events first; empty if nothing is held back. */
    public List<Hold> holds() throws SQLException {
        if (application.isDeliveredFromLog()) {
            return List.of();
        }
        List<Hold> holds = new ArrayList<>();
        try (Connection conn = application.dataSource().getConnection()) {
            Instant now = flavor.clock(conn);
            holds.addAll(attributed(released(conn, now)));
            if (traits.isOrdered(conn)) {
                Hold blocked = blocked(conn, now);
                if (blocked != null) {
                    holds.add(blocked);
                }
            }
        }
        holds.sort(Comparator.comparingInt(Hold::events).reversed());
        return List.copyOf(holds);
    }

    /** Released events by type. */
    private Map<String, Integer> released(Connection conn, Instant now) throws SQLException {
        Map<String, Integer> byType = new LinkedHashMap<>();
        new Sql(
                        flavor,
                        "SELECT event_type, COUNT(*) FROM (SELECT event_type, locked_at FROM " + application.table()
                                + " WHERE status = 0 AND available_at > ? AND locked_by IS NULL"
                                + " ORDER BY available_at LIMIT ?) later WHERE locked_at IS NOT NULL"
                                + " GROUP BY event_type ORDER BY event_type",
                        now,
                        CAP)
                .query(conn, row -> Map.entry(row.getString(1), row.getInt(2)))
                .forEach(entry -> byType.put(entry.getKey(), entry.getValue()));
        return byType;
    }

    private List<Hold> attributed(Map<String, Integer> byType) throws SQLException {
        if (byType.isEmpty()) {
            return List.of();
        }
        List<NodeReader.Handler> handlers = nodes.handlers();
        Map<Hold, Integer> sums = new LinkedHashMap<>();
        byType.forEach((type, events) -> sums.merge(cause(type, handlers), events, Integer::sum));
        return sums.entrySet().stream()
                .map(sum -> new Hold(sum.getKey().cause(), sum.getKey().handler(), sum.getValue()))
                .toList();
    }

    /** A handler that names its types is responsible for those, one that names none may be for any. */
    private static Hold cause(String type, List<NodeReader.Handler> handlers) {
        List<NodeReader.Handler> ofType = handlers.stream()
                .filter(handler -> List.of(handler.detail().split(", ")).contains(type))
                .toList();
        List<NodeReader.Handler> responsible = ofType.isEmpty()
                ? handlers.stream()
                        .filter(handler -> handler.detail().isEmpty())
                        .toList()
                : ofType;
        for (NodeReader.Handler handler : responsible) {
            if (handler.paused()) {
                return new Hold(Hold.Cause.PAUSE, handler.name(), 0);
            }
        }
        for (NodeReader.Handler handler : responsible) {
            if (!handler.breaker().equals("closed")) {
                return new Hold(Hold.Cause.BREAKER, handler.name(), 0);
            }
        }
        return new Hold(Hold.Cause.LIMIT, null, 0);
    }

    /** Due events behind a dead one, or behind one that waits for a retry, and their keys. {@code null} if there are none. */
    private @Nullable Hold blocked(Connection conn, Instant now) throws SQLException {
        Hold found = new Sql(
                        flavor,
                        "SELECT SUM(n), COUNT(*) FROM (SELECT COUNT(*) AS n FROM (SELECT p.aggregate_type, p.aggregate_id"
                                + " FROM (SELECT aggregate_id, aggregate_type, seq FROM "
                                + application.table() + " WHERE status IN (0, 2) AND available_at <= ?"
                                + " AND aggregate_id IS NOT NULL LIMIT ?) p WHERE EXISTS (SELECT 1 FROM "
                                + application.table() + " b WHERE b.aggregate_id = p.aggregate_id"
                                + " AND b.aggregate_type = p.aggregate_type AND b.seq < p.seq"
                                + " AND b.status IN (0, 2, 3) AND ((b.status = 3 AND (b.locked_by IS NULL"
                                + " OR b.locked_by <> ?)) OR (b.status <> 3 AND b.locked_by IS NULL"
                                + " AND b.available_at > ?))) LIMIT ?) capped"
                                + " GROUP BY aggregate_type, aggregate_id) keyed",
                        now,
                        SEARCHED,
                        LeasingOutboxStore.PARKED,
                        now,
                        CAP)
                .first(conn, row -> Hold.ofKeys(row.getInt(1), row.getInt(2)));
        return found == null || found.events() == 0 ? null : found;
    }
}
