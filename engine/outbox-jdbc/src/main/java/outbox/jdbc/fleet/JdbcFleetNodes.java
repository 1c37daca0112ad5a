package outbox.jdbc.fleet;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import outbox.fleet.FleetNodes;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableNames;
import outbox.spi.ConnectionProvider;
import outbox.spi.UnitOfWork;
import outbox.util.LeaseOwner;

/**
 * Nodes find each other through a table in a shared database; see {@code outbox/schema/fleet-node.sql}. Each node
 * increments a counter in its row. A node whose counter does not change for thirty seconds is considered dead: no
 * clocks are compared. Thread-safe.
 */
public final class JdbcFleetNodes implements FleetNodes {
    public static final String DEFAULT_TABLE = "outbox_fleet_node";

    private static final long DEAD_AFTER_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long FORGOTTEN_AFTER_NANOS = Duration.ofHours(1).toNanos();

    private final ConnectionProvider connections;
    private final String self;
    private final LongSupplier nanos;
    private final String beatSql;
    private final String joinSql;
    private final String allSql;
    private final String forgetSql;
    private final Map<String, Seen> seen = new HashMap<>(); // guarded by this

    /** The last counter of a node, and when it changed. */
    private record Seen(long beat, long at) {}

    /** This process with a unique name, on the table {@value #DEFAULT_TABLE}. */
    public JdbcFleetNodes(ConnectionProvider connections) {
        this(connections, DEFAULT_TABLE, LeaseOwner.incarnationOf(LeaseOwner.defaultNodeId()));
    }

    public JdbcFleetNodes(ConnectionProvider connections, String tableName, String self) {
        this(connections, tableName, self, System::nanoTime);
    }

    JdbcFleetNodes(ConnectionProvider connections, String tableName, String self, LongSupplier nanos) {
        String table = TableNames.validate(tableName);
        this.connections = Objects.requireNonNull(connections, "connections");
        this.self = Objects.requireNonNull(self, "self");
        this.nanos = nanos;
        this.beatSql = "UPDATE " + table + " SET beat = beat + 1 WHERE node_id = ?";
        this.joinSql = "INSERT INTO " + table + " (node_id, beat) VALUES (?, 1)";
        this.allSql = "SELECT node_id, beat FROM " + table;
        this.forgetSql = "DELETE FROM " + table + " WHERE node_id = ?";
    }

    @Override
    public String self() {
        return self;
    }

    @Override
    public synchronized Collection<String> live() throws SQLException {
        Map<String, Long> beats = UnitOfWork.run(connections, conn -> {
            if (JdbcTemplate.update(conn, beatSql, statement -> statement.setString(1, self)) == 0) {
                JdbcTemplate.update(conn, joinSql, statement -> statement.setString(1, self));
            }
            Map<String, Long> all = new HashMap<>();
            JdbcTemplate.query(
                    conn, allSql, JdbcTemplate.Binder.NOTHING, row -> all.put(row.getString(1), row.getLong(2)));
            return all;
        });
        long now = nanos.getAsLong();
        seen.keySet().retainAll(beats.keySet());
        beats.forEach((node, beat) ->
                seen.merge(node, new Seen(beat, now), (old, latest) -> old.beat() == latest.beat() ? old : latest));
        forget(now);
        TreeSet<String> live = new TreeSet<>();
        seen.forEach((node, last) -> {
            if (now - last.at() < DEAD_AFTER_NANOS) {
                live.add(node);
            }
        });
        return live;
    }

    /** Deletes rows of nodes that have been dead for long; each start of a process adds one. */
    private void forget(long now) throws SQLException {
        List<String> gone = seen.entrySet().stream()
                .filter(node -> now - node.getValue().at() > FORGOTTEN_AFTER_NANOS)
                .map(Map.Entry::getKey)
                .toList();
        for (String node : gone) {
            UnitOfWork.run(
                    connections,
                    conn -> JdbcTemplate.update(conn, forgetSql, statement -> statement.setString(1, node)));
            seen.remove(node);
        }
    }
}
