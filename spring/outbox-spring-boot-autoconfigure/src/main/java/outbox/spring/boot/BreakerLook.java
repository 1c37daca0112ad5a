package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.NodeLease;
import outbox.spring.boot.BreakerAlerts.BreakerAlert;

/**
 * Looks for open circuit breakers on this node and sends alerts. The breakers are in memory, so a node can only report its
 * own: of the nodes on which the breaker of a handler is open, the first one reports it and holds a lease meanwhile. While
 * all breakers are closed, nothing is read or written. Not thread-safe.
 */
final class BreakerLook implements Runnable {
    private static final Logger LOG = System.getLogger(BreakerLook.class.getName());

    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int LEASE_NAME_LENGTH = 200;

    private final Supplier<Set<String>> openBreakers;
    private final BreakerAlert alert;
    private final @Nullable Function<String, NodeLease> leases;
    private final Map<String, NodeLease> competing = new HashMap<>();

    /** @param leases by handler; {@code null} if every node reports */
    BreakerLook(Supplier<Set<String>> openBreakers, BreakerAlert alert, @Nullable Function<String, NodeLease> leases) {
        this.openBreakers = openBreakers;
        this.alert = alert;
        this.leases = leases;
    }

    /** It costs nothing to look more often than for dead events. */
    static Duration interval(Duration failureAlerts) {
        return failureAlerts.compareTo(LONGEST_INTERVAL) < 0 ? failureAlerts : LONGEST_INTERVAL;
    }

    static String leaseOf(String table, String handler) {
        String name = "breaker " + table + " " + handler;
        return name.length() <= LEASE_NAME_LENGTH ? name : name.substring(0, LEASE_NAME_LENGTH);
    }

    @Override
    public void run() {
        Set<String> open = openBreakers.get();
        Set<String> elected = new TreeSet<>();
        for (String handler : open) {
            if (leases == null || holds(competing.computeIfAbsent(handler, leases), handler)) {
                elected.add(handler);
            }
        }
        try {
            alert.look(open, elected);
        } finally {
            Set<String> closed = new TreeSet<>(competing.keySet());
            closed.removeAll(open);
            closed.forEach(this::release);
        }
    }

    private static boolean holds(NodeLease lease, String handler) {
        try {
            return lease.hold(PATIENCE);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "cannot elect the node that reports the open circuit breaker of '" + handler + "', table "
                            + NodeLease.TABLE + ": " + e.getMessage(),
                    e);
        }
    }

    private void release(String handler) {
        NodeLease lease = competing.remove(handler);
        try {
            if (lease != null) {
                lease.release();
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.DEBUG,
                    "could not release the lease for alerts about '" + handler + "'; another node takes over when it"
                            + " expires",
                    e);
        }
    }

    /** Releases all leases: another node with an open breaker reports it at its next look. */
    void stop() {
        Set.copyOf(competing.keySet()).forEach(this::release);
    }
}
