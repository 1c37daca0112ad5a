package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.MetricsExporter;
import outbox.spi.UnitOfWork;
import outbox.util.FailureLog;

/**
 * Renews the leases of events in flight that have reached a third of their time. An event that is done sooner costs no
 * renewal. Thread-safe.
 */
final class LeaseRenewal {
    private static final Logger LOG = System.getLogger(LeaseRenewal.class.getName());
    private static final int RENEW_AFTER_FRACTION = 3;
    private static final int LOOK_EVERY_FRACTION = 6;
    private static final int BATCH = 500;

    private final ConnectionProvider connections;
    private final LeasingOutboxStore store;
    private final String owner;
    private final MetricsExporter metrics;
    private final LongSupplier ticks;
    private final InFlightEvents inFlight;
    private final FailureLog failures;
    private volatile boolean failing;

    LeaseRenewal(
            ConnectionProvider connections,
            LeasingOutboxStore store,
            String owner,
            MetricsExporter metrics,
            LongSupplier ticks,
            InFlightEvents inFlight) {
        this.connections = connections;
        this.store = store;
        this.owner = owner;
        this.metrics = metrics;
        this.ticks = ticks;
        this.inFlight = inFlight;
        this.failures = new FailureLog(LOG, Level.WARNING, "renewing leases", ticks);
    }

    /** In whose name this dispatcher takes leases. One that was claimed under another name is renewed under that one. */
    String owner() {
        return owner;
    }

    /** Whether a renewal of the last round failed; a node that cannot keep its leases takes no new ones. */
    boolean isFailing() {
        return failing;
    }

    long lookEveryNanos() {
        return Math.max(1_000_000, inFlight.leaseNanos() / LOOK_EVERY_FRACTION);
    }

    /** Renews all leases that are due for it. */
    void renewDue() {
        long now = ticks.getAsLong();
        long renewAfter = inFlight.leaseNanos() / RENEW_AFTER_FRACTION;
        Map<String, List<Delivery>> dueByOwner = new HashMap<>();
        for (Delivery delivery : inFlight.all()) {
            String owner = delivery.owner();
            if (owner != null && !delivery.isLeaseLost() && now - delivery.leasedAt() >= renewAfter) {
                dueByOwner.computeIfAbsent(owner, o -> new ArrayList<>()).add(delivery);
            }
        }
        if (dueByOwner.isEmpty()) {
            failing = false; // nothing at stake
            return;
        }
        boolean allRenewed = true;
        for (Map.Entry<String, List<Delivery>> entry : dueByOwner.entrySet()) {
            List<Delivery> due = entry.getValue();
            for (int from = 0; from < due.size(); from += BATCH) {
                allRenewed &= renew(entry.getKey(), due.subList(from, Math.min(due.size(), from + BATCH)));
            }
        }
        failing = !allRenewed;
        if (allRenewed) {
            failures.succeeded();
        }
    }

    /** @return {@code false} if the database could not be asked */
    private boolean renew(String owner, List<Delivery> due) {
        List<String> ids = due.stream().map(Delivery::eventId).toList();
        long before = ticks.getAsLong();
        Set<String> lost;
        try {
            lost = UnitOfWork.single(connections, conn -> store.renew(conn, owner, ids));
        } catch (SQLException | RuntimeException e) {
            failing = true;
            failures.failed(
                    "could not renew " + ids.size() + " lease(s) of " + owner + "; no new claims until it works again",
                    e);
            return false;
        }
        int renewed = 0;
        int newlyLost = 0;
        for (Delivery delivery : due) {
            if (!lost.contains(delivery.eventId())) {
                delivery.leaseRenewed(before);
                renewed++;
            } else if (!delivery.isFinished() && inFlight.contains(delivery) && owner.equals(delivery.owner())) {
                // one whose outcome is known may be settled: the fence tells; one claimed again meanwhile has another
                // lease
                delivery.leaseLost();
                newlyLost++;
            }
        }
        metrics.incrementLeasesRenewed(renewed);
        if (newlyLost > 0) {
            metrics.incrementLeasesLost(newlyLost);
            LOG.log(Level.WARNING, newlyLost + " lease(s) of " + owner + " were taken over by another node");
        }
        return true;
    }
}
