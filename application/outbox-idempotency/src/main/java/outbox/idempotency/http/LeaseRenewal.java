package outbox.idempotency.http;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;

/** Renews the leases of running requests three times per lease. Thread-safe. */
final class LeaseRenewal implements AutoCloseable {
    private static final Logger LOG = System.getLogger(LeaseRenewal.class.getName());
    private static final int PER_LEASE = 3;

    private final Set<Execution> running = ConcurrentHashMap.newKeySet();
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "renewal of idempotency keys");
    private final ScheduledThreadPoolExecutor timer;
    private final long period;

    LeaseRenewal(Duration lease) {
        this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-idempotency-"));
        this.period = lease.toNanos() / PER_LEASE;
        var unused = timer.scheduleWithFixedDelay(this::renewAll, period, period, TimeUnit.NANOSECONDS);
    }

    void add(Execution execution) {
        running.add(execution);
    }

    void remove(Execution execution) {
        running.remove(execution);
    }

    private void renewAll() {
        for (Execution execution : running) {
            try {
                renew(execution);
                failures.succeeded();
            } catch (RuntimeException e) {
                failures.failed(
                        "leases of running requests cannot be renewed; their keys can be taken by repeated"
                                + " requests when they expire",
                        e);
            }
        }
    }

    private void renew(Execution execution) {
        if (!execution.renew() && running.remove(execution)) {
            LOG.log(
                    Level.WARNING,
                    "idempotency key " + execution.key() + " was taken by a repeated request while its first one still"
                            + " runs: its lease had expired before it could be renewed");
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
