package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.node.db.Tables;
import outbox.spi.UnitOfWork;
import outbox.util.Ulid;

/** Reads the heartbeats of an application's nodes, and writes switches and commands for them. Thread-safe. */
public final class NodeReader {
    private static final Duration RESULTS_KEPT = Duration.ofDays(1);

    private final Application application;
    private final Flavor flavor;
    private volatile boolean tablesSeen;

    public NodeReader(Application application) {
        this.application = application;
        this.flavor = application.flavor();
    }

    /**
     * One node.
     *
     * @param silentSeconds since its last heartbeat
     * @param clockOffsetMillis how far its clock is ahead of the database's
     * @param attemptsLost failed attempts it could not record; {@code null} if it records none
     * @param inFlight events queued or running on it
     */
    public record Node(
            String name,
            String version,
            Instant startedAt,
            Instant seenAt,
            double silentSeconds,
            long clockOffsetMillis,
            long delivered,
            long failed,
            long dead,
            @Nullable Long attemptsLost,
            int inFlight,
            int hotDepth,
            int coldDepth) {}

    /**
     * A handler, listener or webhook endpoint of a node.
     *
     * @param breaker {@code closed}, {@code open} or {@code half_open}
     * @param delivered since the node started
     * @param actions the commands it supports
     */
    public record Handler(
            String node,
            String name,
            String kind,
            String detail,
            boolean paused,
            boolean disabled,
            String breaker,
            int running,
            int waiting,
            long delivered,
            long failed,
            List<String> actions) {}

    /** A handler that operators paused or resumed. */
    public record Switch(
            String handler, boolean paused, @Nullable String reason, String changedBy, Instant changedAt) {}

    /** @param outcome {@code null} until a node has carried it out */
    public record Command(
            String id,
            String action,
            String target,
            String createdBy,
            Instant createdAt,
            @Nullable String node,
            @Nullable String outcome) {}

    /** Whether any node has ever sent a heartbeat. */
    public boolean isKnown() throws SQLException {
        if (!tablesSeen) {
            try (Connection conn = application.dataSource().getConnection()) {
                tablesSeen = Tables.exists(conn, flavor, "outbox_node_result");
            }
        }
        return tablesSeen;
    }

    public List<Node> nodes() throws SQLException {
        if (!isKnown()) {
            return List.of();
        }
        try (Connection conn = application.dataSource().getConnection()) {
            Instant now = flavor.clock(conn);
            return new Sql(
                            flavor,
                            "SELECT node, version, started_at, seen_at, clock_offset_millis, delivered, failed, dead,"
                                    + " attempts_lost, in_flight, hot_depth, cold_depth FROM outbox_node ORDER BY node LIMIT 1000")
                    .query(conn, row -> {
                        Instant seen = flavor.time(row, 4);
                        return new Node(
                                row.getString(1),
                                row.getString(2),
                                flavor.time(row, 3),
                                seen,
                                Math.max(0, Duration.between(seen, now).toMillis() / 1000.0),
                                row.getLong(5),
                                row.getLong(6),
                                row.getLong(7),
                                row.getLong(8),
                                row.getLong(9) < 0 ? null : row.getLong(9),
                                row.getInt(10),
                                row.getInt(11),
                                row.getInt(12));
                    });
        }
    }

    /** Handlers of known nodes, sorted by name. */
    public List<Handler> handlers() throws SQLException {
        if (!isKnown()) {
            return List.of();
        }
        List<String> states = List.of("closed", "open", "half_open");
        try (Connection conn = application.dataSource().getConnection()) {
            return new Sql(
                            flavor,
                            "SELECT h.node, h.handler, h.kind, h.detail, h.paused, h.disabled, h.breaker, h.running,"
                                    + " h.waiting, h.delivered, h.failed, h.actions FROM outbox_node_handler h JOIN outbox_node n ON n.node = h.node"
                                    + " ORDER BY h.handler, h.node LIMIT 5000")
                    .query(
                            conn,
                            row -> new Handler(
                                    row.getString(1),
                                    row.getString(2),
                                    row.getString(3),
                                    row.getString(4),
                                    row.getInt(5) == 1,
                                    row.getInt(6) == 1,
                                    states.get(row.getInt(7)),
                                    row.getInt(8),
                                    row.getInt(9),
                                    row.getLong(10),
                                    row.getLong(11),
                                    Stream.of(row.getString(12).split(",", -1))
                                            .filter(action -> !action.isEmpty())
                                            .toList()));
        }
    }

    public List<Switch> switches() throws SQLException {
        if (!isKnown()) {
            return List.of();
        }
        try (Connection conn = application.dataSource().getConnection()) {
            return new Sql(
                            flavor,
                            "SELECT handler, paused, reason, changed_by, changed_at FROM outbox_handler_switch"
                                    + " ORDER BY handler LIMIT 1000")
                    .query(
                            conn,
                            row -> new Switch(
                                    row.getString(1),
                                    row.getInt(2) == 1,
                                    row.getString(3),
                                    row.getString(4),
                                    flavor.time(row, 5)));
        }
    }

    /** Takes effect at the next heartbeat. */
    public void setPaused(String handler, boolean paused, @Nullable String reason, String by) throws SQLException {
        UnitOfWork.run(application.dataSource()::getConnection, conn -> {
            new Sql(flavor, "DELETE FROM outbox_handler_switch WHERE handler = ?", handler).update(conn);
            return new Sql(
                            flavor,
                            "INSERT INTO outbox_handler_switch (handler, paused, reason, changed_by, changed_at)"
                                    + " VALUES (?, ?, ?, ?, ?)",
                            handler,
                            paused ? 1 : 0,
                            reason,
                            by,
                            flavor.clock(conn))
                    .update(conn);
        });
    }

    /**
     * Takes effect at the next heartbeat.
     *
     * @param everywhere whether each node carries it out, or only the first that takes it
     */
    public String command(String action, String target, boolean everywhere, String by) throws SQLException {
        String id = Ulid.next();
        UnitOfWork.run(application.dataSource()::getConnection, conn -> {
            Instant now = flavor.clock(conn);
            Instant limit = now.minus(RESULTS_KEPT);
            new Sql(flavor, "DELETE FROM outbox_node_result WHERE done_at < ?", limit).update(conn);
            new Sql(flavor, "DELETE FROM outbox_node_command WHERE created_at < ?", limit).update(conn);
            return new Sql(
                            flavor,
                            "INSERT INTO outbox_node_command (id, action, target, everywhere, created_by, created_at)"
                                    + " VALUES (?, ?, ?, ?, ?, ?)",
                            id,
                            action,
                            target,
                            everywhere ? 1 : 0,
                            by,
                            now)
                    .update(conn);
        });
        return id;
    }

    /** Newest first; one row per node that carried it out. */
    public List<Command> commands() throws SQLException {
        if (!isKnown()) {
            return List.of();
        }
        try (Connection conn = application.dataSource().getConnection()) {
            return new Sql(
                            flavor,
                            "SELECT c.id, c.action, c.target, c.created_by, c.created_at, r.node, r.outcome"
                                    + " FROM outbox_node_command c LEFT JOIN outbox_node_result r ON r.command_id = c.id"
                                    + " ORDER BY c.id DESC LIMIT 50")
                    .query(
                            conn,
                            row -> new Command(
                                    row.getString(1),
                                    row.getString(2),
                                    row.getString(3),
                                    row.getString(4),
                                    flavor.time(row, 5),
                                    row.getString(6),
                                    row.getString(7)));
        }
    }

    /** Removes a silent node from the list. @return whether it existed and was silent */
    public boolean forget(String node, Duration silentFor) throws SQLException {
        if (!isKnown()) {
            return false;
        }
        return UnitOfWork.run(application.dataSource()::getConnection, conn -> {
            Instant limit = flavor.clock(conn).minus(silentFor);
            int gone =
                    new Sql(flavor, "DELETE FROM outbox_node WHERE node = ? AND seen_at < ?", node, limit).update(conn);
            if (gone > 0) {
                new Sql(flavor, "DELETE FROM outbox_node_handler WHERE node = ?", node).update(conn);
            }
            return gone > 0;
        });
    }
}
