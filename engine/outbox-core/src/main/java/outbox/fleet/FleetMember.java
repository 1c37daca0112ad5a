package outbox.fleet;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import outbox.ManagedOutbox;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.dispatch.SharedWorkerPool;
import outbox.util.FailureLog;
import outbox.util.Ticks;

/** One outbox of a fleet, and when its database is asked next. Thread-safe. */
final class FleetMember {
    private static final Logger LOG = System.getLogger(FleetMember.class.getName());
    private static final long FIRST_TRY_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Later than any plan. */
    private static final long NEVER_NANOS = Long.MAX_VALUE / 2;

    private final OutboxFleet fleet;
    private final String name;
    private final ManagedOutbox managed;
    private final SharedWorkerPool.Member threads;
    private final long purgeNanos;
    private final FailureLog startFailures;
    private final AtomicLong pollAt; // the earliest poll that is planned; later plans are void
    private volatile long intervalNanos;
    private volatile boolean started;

    FleetMember(OutboxFleet fleet, String name, OutboxBuilder builder, SharedWorkerPool workerPool) {
        this.fleet = fleet;
        this.name = name;
        this.pollAt = new AtomicLong(System.nanoTime() + NEVER_NANOS);
        this.managed = builder.buildManaged(workerPool, name, delay -> plan(Ticks.in(delay)));
        this.threads = managed.threads();
        this.purgeNanos = Ticks.in(managed.purgeInterval());
        this.startFailures = new FailureLog(LOG, Level.WARNING, "starting " + name);
        this.intervalNanos = fleet.pollNanos;
    }

    String name() {
        return name;
    }

    Outbox outbox() {
        return managed.outbox();
    }

    boolean isFailing() {
        return threads.isFailing();
    }

    void begin() {
        threads.submit(this::start);
        if (managed.purges()) {
            threads.schedule(this::purge, spread(Math.min(purgeNanos, TimeUnit.MINUTES.toNanos(1))));
        }
    }

    private void start() throws SQLException {
        if (managed.isClosed()) {
            return; // removed while its database could not be reached
        }
        try {
            managed.start();
        } catch (RuntimeException | Error e) {
            startFailures.failed(name + " cannot be started; tried again", e);
            threads.schedule(this::start, FIRST_TRY_AGAIN_NANOS + threads.pauseNanos());
            throw e;
        }
        startFailures.succeeded();
        started = true;
        poll();
    }

    /** Polls after this time at the latest. */
    private void plan(long delayNanos) {
        long at = System.nanoTime() + delayNanos;
        long planned = pollAt.get();
        while (at - planned < 0) {
            if (pollAt.compareAndSet(planned, at)) {
                schedule(at, delayNanos);
                return;
            }
            planned = pollAt.get();
        }
    }

    private void schedule(long at, long delayNanos) {
        threads.schedule(
                () -> {
                    if (pollAt.get() == at) { // else another poll was planned before it, and has planned the next one
                        poll();
                    }
                },
                delayNanos);
    }

    private void poll() throws SQLException {
        if (!started || managed.isClosed()) {
            return;
        }
        pollAt.set(System.nanoTime()
                + NEVER_NANOS); // whatever is planned from now on comes first, however long this takes
        int found;
        try {
            found = managed.poll();
        } catch (SQLException | RuntimeException | Error e) { // without a next plan there would be no further poll
            planNext(Math.max(fleet.pollNanos, threads.pauseNanos()));
            throw e;
        }
        if (found > 0) {
            intervalNanos = fleet.pollNanos;
            planNext(0);
        } else {
            long next = intervalNanos;
            intervalNanos = Math.min(fleet.idleNanos, 2 * next);
            planNext(spread(fleet.isOurs(name) ? next : fleet.fallbackNanos));
        }
    }

    private void planNext(long delayNanos) {
        plan(Math.min(delayNanos, fleet.fallbackNanos));
    }

    /** Hundreds of databases must not be asked in the same moment. */
    private static long spread(long nanos) {
        return nanos - ThreadLocalRandom.current().nextLong(nanos / 4 + 1);
    }

    /** Another node may have been the one that polled this database. */
    void ownersChanged() {
        if (fleet.isOurs(name)) {
            plan(spread(fleet.idleNanos));
        }
    }

    private void purge() {
        if (managed.isClosed()) {
            return;
        }
        try {
            if (started) {
                managed.outbox().purgeOnce();
            }
        } finally {
            threads.schedule(this::purge, spread(purgeNanos));
        }
    }
}
