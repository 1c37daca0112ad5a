package outbox.fleet;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.dispatch.SharedWorkerPool;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Ticks;
import outbox.util.VirtualThreads;

/**
 * Many outboxes, of as many databases, on a fixed number of threads and connections. Each is written to and delivers as
 * any other; what they share are workers, database threads and the times at which they are polled. Thread-safe.
 *
 * <pre>{@code
 * OutboxFleet fleet = OutboxFleet.builder().workers(16).build();
 * for (Tenant tenant : tenants) {
 *     fleet.add(tenant.name(), JdbcOutbox.multiNode(tenant.dataSource()).transactions(…).listeners(registry));
 * }
 * }</pre>
 *
 * <p>A database in which nothing is found is polled at twice the interval the next time, up to the idle interval. One
 * that fails is served apart from the others. With {@link Builder#nodes} each database is polled like that by one node,
 * and by the others only as a fallback.
 */
public final class OutboxFleet implements AutoCloseable {
    public static final int DEFAULT_WORKERS = 8;
    public static final int DEFAULT_DATABASE_THREADS = 4;
    /** The longest time between two polls of a database by the node it belongs to. */
    public static final Duration DEFAULT_IDLE_INTERVAL = Duration.ofSeconds(15);
    /** The time between two polls of a database by the other nodes. */
    public static final Duration DEFAULT_FALLBACK_INTERVAL = Duration.ofMinutes(5);

    private static final Logger LOG = System.getLogger(OutboxFleet.class.getName());
    private static final long NODES_EVERY_SECONDS = 10;
    private static final long NODES_FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(1);

    final long pollNanos;
    final long idleNanos;
    final long fallbackNanos;
    private final SharedWorkerPool workerPool;
    private final FleetNodes nodes;
    private final ScheduledThreadPoolExecutor nodesThread;
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "looking for the nodes of the fleet");
    private final Map<String, FleetMember> members = new ConcurrentHashMap<>();
    private volatile @Nullable Set<String> live; // null while nobody knows: everything is ours
    private long knownAt = System.nanoTime(); // only the nodes' thread
    private volatile boolean closed;

    private OutboxFleet(Builder builder) {
        this.pollNanos = Ticks.in(builder.pollInterval);
        this.idleNanos = Ticks.in(builder.idleInterval);
        this.fallbackNanos = Ticks.in(builder.fallbackInterval);
        if (pollNanos > idleNanos || idleNanos > fallbackNanos) {
            throw new IllegalArgumentException("pollInterval, idleInterval and fallbackInterval must not decrease: "
                    + builder.pollInterval + ", " + builder.idleInterval + ", " + builder.fallbackInterval);
        }
        this.nodes = builder.nodes;
        this.workerPool = new SharedWorkerPool(
                builder.workers,
                builder.workerThreads == null ? new DaemonThreadFactory("outbox-worker-") : builder.workerThreads,
                Math.max(1, builder.workers / 2),
                builder.databaseThreads);
        this.nodesThread = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-nodes-"));
        if (nodes == FleetNodes.ALONE) {
            live = Set.of(nodes.self());
        } else {
            var unused =
                    nodesThread.scheduleWithFixedDelay(this::lookForNodes, 0, NODES_EVERY_SECONDS, TimeUnit.SECONDS);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Builds an outbox and looks after it from now on. A database that cannot be reached is tried again until it can.
     *
     * @param name of the database, the same on all nodes
     * @param outbox without settings for threads and polls, which are the fleet's
     * @return for writing to it; the fleet starts and closes it
     */
    public Outbox add(String name, OutboxBuilder outbox) {
        Objects.requireNonNull(name, "name");
        if (closed) {
            throw new IllegalStateException("this fleet was closed; " + name + " is not added");
        }
        FleetMember member = new FleetMember(this, name, outbox, workerPool);
        if (members.putIfAbsent(name, member) != null) {
            member.outbox().close();
            throw new IllegalArgumentException("the fleet has an outbox named " + name + " already");
        }
        member.begin();
        return member.outbox();
    }

    /** Closes one outbox and forgets it, such as that of a tenant who has left. */
    public void remove(String name) {
        FleetMember member = members.remove(name);
        if (member != null) {
            member.outbox().close();
        }
    }

    /** The outbox of that name. @throws IllegalArgumentException if there is none */
    public Outbox get(String name) {
        FleetMember member = members.get(name);
        if (member == null) {
            throw new IllegalArgumentException("the fleet has no outbox named " + name);
        }
        return member.outbox();
    }

    /** The names of all databases that failed when they were asked last. */
    public List<String> failing() {
        return members.values().stream()
                .filter(FleetMember::isFailing)
                .map(FleetMember::name)
                .sorted()
                .toList();
    }

    /** Whether this node is the one that polls a database often. */
    boolean isOurs(String database) {
        Set<String> known = live;
        return known == null
                || !known.contains(nodes.self())
                || nodes.self().equals(Rendezvous.choose(known, database));
    }

    private void lookForNodes() {
        try {
            Set<String> now = Set.copyOf(nodes.live());
            knownAt = System.nanoTime();
            failures.succeeded();
            if (!now.equals(live)) {
                live = now;
                LOG.log(
                        Level.INFO,
                        "the fleet has " + now.size() + " node(s); this one polls "
                                + members.keySet().stream().filter(this::isOurs).count() + " of " + members.size()
                                + " database(s)");
                members.values().forEach(FleetMember::ownersChanged);
            }
        } catch (Throwable e) { // an Error would end the schedule for good
            failures.failed("the nodes of the fleet are not known now; the last answer is used for a minute", e);
            if (System.nanoTime() - knownAt > NODES_FORGOTTEN_NANOS) {
                live = null;
            }
        }
    }

    /**
     * Closes all outboxes, at the same time, and ends the threads. Called by a listener, it returns at once, and the rest
     * happens when that has returned.
     */
    @Override
    public void close() {
        closed = true;
        nodesThread.shutdownNow();
        if (workerPool.isCurrentThread()) {
            new DaemonThreadFactory("outbox-closing-").newThread(this::closeAll).start();
        } else {
            closeAll();
        }
    }

    private void closeAll() {
        List<Thread> closing = members.values().stream()
                .map(member -> new DaemonThreadFactory("outbox-close-").newThread(member.outbox()::close))
                .toList();
        closing.forEach(Thread::start);
        try {
            for (Thread thread : closing) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        members.clear();
        workerPool.close();
    }

    /** Collects the settings of a fleet; not thread-safe. */
    public static final class Builder {
        private int workers = DEFAULT_WORKERS;
        private int databaseThreads = DEFAULT_DATABASE_THREADS;
        private @Nullable ThreadFactory workerThreads;
        private Duration pollInterval = OutboxBuilder.DEFAULT_POLL_INTERVAL;
        private Duration idleInterval = DEFAULT_IDLE_INTERVAL;
        private Duration fallbackInterval = DEFAULT_FALLBACK_INTERVAL;
        private FleetNodes nodes = FleetNodes.ALONE;

        private Builder() {}

        /** How many listeners run at a time, of all databases; one has at most half of them. Default {@value #DEFAULT_WORKERS}. */
        public Builder workers(int workers) {
            this.workers = positive("workers", workers);
            return this;
        }

        /** Runs listeners on virtual threads where the JDK has them. */
        public Builder virtualThreads() {
            this.workerThreads = VirtualThreads.factory("outbox-worker-");
            return this;
        }

        /**
         * How many databases are asked at a time; one more is for those that fail, and one database has at most half of
         * them. So many connections are in use at most, of all databases together. Default
         * {@value #DEFAULT_DATABASE_THREADS}.
         */
        public Builder databaseThreads(int databaseThreads) {
            this.databaseThreads = positive("databaseThreads", databaseThreads);
            return this;
        }

        /** The time to the next poll of a database in which something was found; default 1 s. */
        public Builder pollInterval(Duration pollInterval) {
            this.pollInterval = positive("pollInterval", pollInterval);
            return this;
        }

        /** The longest time between two polls of a database that belongs to this node; default 15 s. */
        public Builder idleInterval(Duration idleInterval) {
            this.idleInterval = positive("idleInterval", idleInterval);
            return this;
        }

        /** The time between two polls of a database that belongs to another node; default 5 min. */
        public Builder fallbackInterval(Duration fallbackInterval) {
            this.fallbackInterval = positive("fallbackInterval", fallbackInterval);
            return this;
        }

        /** Shares the databases among nodes; default: this node polls all of them. */
        public Builder nodes(FleetNodes nodes) {
            this.nodes = Objects.requireNonNull(nodes, "nodes");
            return this;
        }

        /** Builds; the threads run. */
        public OutboxFleet build() {
            return new OutboxFleet(this);
        }

        private static int positive(String what, int value) {
            if (value <= 0) {
                throw new IllegalArgumentException(what + " must be positive: " + value);
            }
            return value;
        }

        private static Duration positive(String what, Duration value) {
            if (value.isNegative() || value.isZero()) {
                throw new IllegalArgumentException(what + " must be positive: " + value);
            }
            return value;
        }
    }
}
