package outbox.node;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.BreakerState;

/** The rows a node writes about itself, and the commands it reads. The caller owns the transaction. */
final class NodeRow {
    /** Rows of nodes that were silent for this long are deleted. */
    private static final Duration FORGOTTEN = Duration.ofDays(1);

    private static final Duration FORGET_EVERY = Duration.ofHours(1);
    /** Commands older than this are ignored. */
    private static final Duration COMMAND_LIFE = Duration.ofMinutes(5);

    private static final String VERSION =
            Objects.requireNonNullElse(NodeRow.class.getPackage().getImplementationVersion(), "development");

    private final Flavor flavor;
    private final String node;
    private final InstantSource clock;
    private final Supplier<Counters> counters;
    private final Supplier<List<HandlerStatus>> handlers;
    private @Nullable Instant startedAt;
    private Instant now; // database time, when last read
    private Duration offset = Duration.ZERO;
    private Instant forgottenAt = Instant.EPOCH;
    private @Nullable List<HandlerStatus> written;
    private @Nullable List<HandlerStatus> writing;

    /**
     * Counters of the node since it started.
     *
     * @param lost failed attempts that could not be recorded, or {@link #NOT_RECORDED}
     */
    record Counters(long delivered, long failed, long dead, long lost, int inFlight, int hot, int cold) {
        /** This node records no attempts. */
        static final long NOT_RECORDED = -1;
    }

    record Switch(String handler, boolean paused) {}

    record Command(String id, String action, String target) {}

    NodeRow(
            Flavor flavor,
            String node,
            InstantSource clock,
            Supplier<Counters> counters,
            Supplier<List<HandlerStatus>> handlers) {
        this.flavor = flavor;
        this.node = node;
        this.clock = clock;
        this.counters = counters;
        this.handlers = handlers;
        this.now = clock.instant();
    }

    boolean isOf(String owner) {
        return node.equals(owner);
    }

    /** The switches and commands a heartbeat reads. */
    record Orders(List<Switch> switches, List<Waiting> commands) {}

    private record Waiting(Command command, boolean everywhere) {}

    /** Reads the clock, switches and commands in one statement, because an idle node does this every few seconds. */
    Orders read(Connection conn) throws SQLException {
        Instant before = clock.instant();
        Instant[] databaseClock = {before};
        List<Switch> switches = new ArrayList<>();
        List<Waiting> commands = new ArrayList<>();
        new Sql(
                        flavor,
                        "SELECT 0, " + flavor.now() + ", NULL, NULL, NULL, 0"
                                + " UNION ALL SELECT 1, " + flavor.now() + ", NULL, handler, NULL, paused"
                                + " FROM outbox_handler_switch"
                                + " UNION ALL SELECT 2, " + flavor.now() + ", c.id, c.target, c.action, c.everywhere"
                                + " FROM outbox_node_command c WHERE c.created_at > ?"
                                + " AND (c.everywhere = 1 OR c.taken_by IS NULL) AND NOT EXISTS (SELECT 1 FROM"
                                + " outbox_node_result r WHERE r.command_id = c.id AND r.node = ?) ORDER BY 1, 3",
                        commandsFrom(),
                        node)
                .query(conn, row -> {
                    switch (row.getInt(1)) {
                        case 0 -> databaseClock[0] = flavor.clockColumn(row, 2);
                        case 1 -> switches.add(new Switch(row.getString(4), row.getInt(6) == 1));
                        default ->
                            commands.add(new Waiting(
                                    new Command(row.getString(3), row.getString(5), row.getString(4)),
                                    row.getInt(6) == 1));
                    }
                    return node;
                });
        Instant middle = before.plus(Duration.between(before, clock.instant()).dividedBy(2));
        now = databaseClock[0];
        offset = Duration.between(now, middle);
        return new Orders(switches, startedAt == null ? List.of() : commands); // earlier commands are not for this node
    }

    /** Commands issued before this node started, and expired ones, are ignored. */
    private Instant commandsFrom() {
        Instant oldest = now.minus(COMMAND_LIFE);
        return startedAt != null && startedAt.isAfter(oldest) ? startedAt : oldest;
    }

    /**
     * Writes what changed; for an idle node only the time of the heartbeat. Call {@link #read} first: it reads the
     * clock.
     */
    void write(Connection conn) throws SQLException {
        if (startedAt == null) {
            startedAt = now;
            forgetEarlierLives(conn);
        }
        Counters current = counters.get();
        boolean known = new Sql(
                                flavor,
                                "UPDATE outbox_node SET seen_at = ?, clock_offset_millis = ?, delivered = ?, failed = ?,"
                                        + " dead = ?, attempts_lost = ?, in_flight = ?, hot_depth = ?, cold_depth = ?"
                                        + " WHERE node = ?",
                                now,
                                offset.toMillis(),
                                current.delivered(),
                                current.failed(),
                                current.dead(),
                                current.lost(),
                                current.inFlight(),
                                current.hot(),
                                current.cold(),
                                node)
                        .update(conn)
                > 0;
        if (!known) {
            insert(conn, current);
        }
        List<HandlerStatus> seen = handlers.get();
        if (!known || !seen.equals(written)) {
            writeHandlers(conn, seen);
        }
        if (now.isAfter(forgottenAt.plus(FORGET_EVERY))) {
            forgottenAt = now;
            new Sql(flavor, "DELETE FROM outbox_node WHERE seen_at < ?", now.minus(FORGOTTEN)).update(conn);
        }
    }

    private void insert(Connection conn, Counters current) throws SQLException {
        new Sql(
                        flavor,
                        "INSERT INTO outbox_node (node, version, started_at, seen_at, clock_offset_millis, delivered,"
                                + " failed, dead, attempts_lost, in_flight, hot_depth, cold_depth)"
                                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        node,
                        VERSION,
                        startedAt,
                        now,
                        offset.toMillis(),
                        current.delivered(),
                        current.failed(),
                        current.dead(),
                        current.lost(),
                        current.inFlight(),
                        current.hot(),
                        current.cold())
                .update(conn);
    }

    /** To be called after the transaction of the last {@link #write} was committed. */
    void committed(boolean done) {
        written = done ? writing : null;
    }

    private void writeHandlers(Connection conn, List<HandlerStatus> seen) throws SQLException {
        writing = seen;
        new Sql(flavor, "DELETE FROM outbox_node_handler WHERE node = ?", node).update(conn);
        for (HandlerStatus handler : seen) {
            new Sql(
                            flavor,
                            "INSERT INTO outbox_node_handler (node, handler, kind, detail, paused, disabled, breaker,"
                                    + " running, waiting, delivered, failed, actions)"
                                    + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                            node,
                            cut(handler.name(), 128),
                            handler.kind(),
                            cut(handler.detail(), 500),
                            handler.paused() ? 1 : 0,
                            handler.disabled() ? 1 : 0,
                            code(handler.breaker()),
                            handler.running(),
                            handler.waiting(),
                            handler.delivered(),
                            handler.failed(),
                            cut(String.join(",", new TreeSet<>(handler.actions())), 100))
                    .update(conn);
        }
    }

    private static int code(BreakerState state) {
        return switch (state) {
            case CLOSED -> 0;
            case OPEN -> 1;
            case HALF_OPEN -> 2;
        };
    }

    private static String cut(String text, int limit) {
        return text.length() <= limit ? text : text.substring(0, limit);
    }

    /** Deletes the row of this node's previous incarnation, so that it is not reported as silent. */
    private void forgetEarlierLives(Connection conn) throws SQLException {
        String id = node.substring(0, node.lastIndexOf('/') + 1);
        List<String> known = new Sql(flavor, "SELECT node FROM outbox_node").query(conn, row -> row.getString(1));
        for (String other : known) {
            if (!id.isEmpty() && other.startsWith(id)) {
                remove(conn, other);
            }
        }
    }

    /** Commands this node must carry out now, on its own handlers; each is returned once. */
    List<Command> take(Connection conn, List<Waiting> waiting) throws SQLException {
        if (waiting.isEmpty()) {
            return List.of();
        }
        Set<String> own =
                handlers.get().stream().map(handler -> cut(handler.name(), 128)).collect(Collectors.toSet());
        List<Command> taken = new ArrayList<>();
        for (Waiting one : waiting) {
            if (!own.contains(one.command().target())) {
                continue; // for another application on the same database, or for nodes with other handlers
            }
            boolean ours = one.everywhere()
                    || new Sql(
                                            flavor,
                                            "UPDATE outbox_node_command SET taken_by = ? WHERE id = ? AND taken_by IS NULL",
                                            node,
                                            one.command().id())
                                    .update(conn)
                            > 0;
            if (ours) {
                taken.add(one.command());
            }
        }
        return taken;
    }

    int done(Connection conn, Command command, String outcome) throws SQLException {
        return new Sql(
                        flavor,
                        "INSERT INTO outbox_node_result (command_id, node, done_at, outcome) VALUES (?, ?, ?, ?)",
                        command.id(),
                        node,
                        flavor.clock(conn),
                        cut(outcome, 500))
                .update(conn);
    }

    int remove(Connection conn) throws SQLException {
        return remove(conn, node);
    }

    private int remove(Connection conn, String name) throws SQLException {
        new Sql(flavor, "DELETE FROM outbox_node_handler WHERE node = ?", name).update(conn);
        return new Sql(flavor, "DELETE FROM outbox_node WHERE node = ?", name).update(conn);
    }
}
