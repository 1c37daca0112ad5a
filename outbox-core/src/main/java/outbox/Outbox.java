package outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.dead.DeadEventManager;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.OutboxDispatcher;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.purge.RotationScheduler;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.OutboxStore;

/**
 * Writer, dispatcher, poller, purge and dead letters of one outbox table, wired together. Thread-safe.
 *
 * <pre>{@code
 * try (Outbox outbox = Outbox.multiNode()
 *         .store(store)
 *         .connections(connections)
 *         .transactions(txContext)
 *         .listeners(registry)
 *         .build()
 *         .start()) {
 *     outbox.writer().write("OrderPlaced", "{\"id\":42}");
 * }
 * }</pre>
 *
 * <p>{@code outbox-jdbc} has the same three forms for a {@code DataSource}.
 */
public final class Outbox implements AutoCloseable {
    private final OutboxStore store;
    private final ConnectionProvider connections;
    private final @Nullable OutboxWriter writer;
    private final DeadEventManager deadEvents;
    private final @Nullable OutboxDispatcher dispatcher;
    private final @Nullable OutboxPoller poller;
    private final @Nullable OutboxPurgeScheduler purge;
    private final @Nullable RotationScheduler rotation;
    private final @Nullable OutboxRelay relay;
    private final boolean ordered;
    private final boolean polls;
    private final boolean inFleet;
    private final @Nullable RelayDesk desk;
    private final OutboxSettings settings;
    private volatile boolean started;
    private volatile boolean closed;

    Outbox(OutboxBuilder builder) {
        this.store = Objects.requireNonNull(builder.store);
        this.connections = Objects.requireNonNull(builder.connections);
        this.deadEvents = new DeadEventManager(connections, store);
        this.purge = builder.purgeScheduler();
        this.rotation = builder.rotationScheduler();
        this.ordered = builder.ordered;
        this.inFleet = builder.fleet != null;
        this.polls = !builder.pollOnDemand && !inFleet;
        this.settings = builder.settings();
        if (builder.mode == OutboxBuilder.Mode.WRITER_ONLY) {
            this.dispatcher = null;
            this.poller = null;
            this.relay = null;
            this.desk = null;
            this.writer = writer(builder, builder.writerHook);
        } else {
            this.dispatcher = builder.dispatcher().build();
            this.desk = new RelayDesk(new DispatcherPollerHandler(dispatcher));
            this.poller = builder.poller(desk);
            this.relay = new OutboxRelay(
                    dispatcher, poller, desk, connections, store, builder.claimSize, builder.failedEventAlert);
            WriterHook hot = new DispatcherWriterHook(dispatcher);
            this.writer = writer(builder, builder.writerHook == null ? hot : new HookChain(builder.writerHook, hot));
        }
    }

    private @Nullable OutboxWriter writer(OutboxBuilder builder, @Nullable WriterHook hook) {
        return builder.transactions == null ? null : new OutboxWriter(builder.transactions, store, hook, builder.seal);
    }

    /**
     * For the only process that uses the table: what an earlier life of it had leased is taken over at the start, at
     * once. Two processes in this form would deliver twice around each start.
     */
    public static OutboxBuilder singleNode() {
        return new OutboxBuilder(OutboxBuilder.Mode.SINGLE_NODE);
    }

    /** For any number of processes on one table. What a dead one held is taken over when its leases are over. */
    public static OutboxBuilder multiNode() {
        return new OutboxBuilder(OutboxBuilder.Mode.MULTI_NODE);
    }

    /** Writes and does not deliver: another process or CDC reads the table. */
    public static OutboxBuilder writerOnly() {
        return new OutboxBuilder(OutboxBuilder.Mode.WRITER_ONLY);
    }

    /**
     * Checks the table and starts to poll and purge. If that fails, this is closed and no thread is left behind: to try
     * again, build a new one.
     *
     * @return this
     * @throws IllegalStateException if the table is missing or lacks a column, or this was closed
     */
    public Outbox start() {
        if (inFleet) {
            throw new IllegalStateException("this outbox belongs to a fleet, which starts it");
        }
        if (closed) {
            throw new IllegalStateException("this outbox was closed; build a new one");
        }
        try {
            verifyAndStart();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
        if (poller != null && polls) {
            poller.start();
        }
        if (purge != null) {
            purge.start();
        }
        if (rotation != null) {
            rotation.start();
        }
        return this;
    }

    /** What a fleet asks first. */
    void verifyAndStart() {
        if (store instanceof LeasingOutboxStore leasing) {
            verifySchema(leasing);
        }
        started = true;
    }

    // ---- what a fleet does for its members ------------------------------------------------------------------------

    OutboxDispatcher fleetDispatcher() {
        return Objects.requireNonNull(dispatcher);
    }

    OutboxPoller fleetPoller() {
        return Objects.requireNonNull(poller);
    }

    void onWakeUp(Consumer<Duration> wakeUp) {
        Objects.requireNonNull(desk).onWakeUp(wakeUp);
    }

    boolean purges() {
        return purge != null || rotation != null;
    }

    private void verifySchema(LeasingOutboxStore leasing) {
        try (Connection conn = connections.getConnection()) {
            if (ordered) {
                leasing.verifyOrderedSchema(conn);
            } else {
                leasing.verifySchema(conn);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("could not check the outbox table: " + e.getMessage(), e);
        }
    }

    /** @throws IllegalStateException if this was built without {@code transactions} */
    public OutboxWriter writer() {
        if (writer == null) {
            throw new IllegalStateException(
                    "this outbox was built without transactions(...), so it delivers but can not write");
        }
        return writer;
    }

    public DeadEventManager deadEvents() {
        return deadEvents;
    }

    /**
     * Purges now what is past its retention, or rotates the partitions, on the caller's thread; nothing if this was built
     * without a purger.
     */
    public void purgeOnce() {
        if (purge != null) {
            purge.runOnce();
        }
        if (rotation != null) {
            rotation.runOnce();
        }
    }

    /**
     * Delivery on demand, for schedulers from outside.
     *
     * @throws IllegalStateException in the writer-only form
     */
    public OutboxRelay relay() {
        if (relay == null) {
            throw new IllegalStateException("this outbox writes only, so there is nothing to relay");
        }
        return relay;
    }

    /** Whether this was started, was not closed, and its polling, if it polls by itself, goes on. */
    public boolean isRunning() {
        boolean delivering = dispatcher == null || !dispatcher.isClosed();
        return started && delivering && (poller == null || !polls || poller.isRunning());
    }

    /** What this was built with. */
    public OutboxSettings settings() {
        return settings;
    }

    /** In whose name rows are held, as in the column {@code locked_by}; {@code null} if none are. */
    public @Nullable String leaseOwner() {
        return dispatcher == null ? null : dispatcher.leaseOwner();
    }

    /** How many events are in hand: queued, with a listener, or about to be settled. */
    public int inHand() {
        return dispatcher == null ? 0 : dispatcher.inHand();
    }

    /** Polls now, one batch, on the caller's thread; nothing in the writer-only form. */
    public void pollOnce() {
        if (poller != null) {
            poller.poll();
        }
    }

    /**
     * Stops claiming, lets what is queued be delivered within the drain timeout, gives the rest back to the table. The
     * writer goes on to work; what it writes from now on waits for another node or the next start.
     */
    @Override
    public void close() {
        closed = true;
        started = false;
        if (poller != null) {
            poller.close();
        }
        if (dispatcher != null) {
            dispatcher.close();
        }
        if (purge != null) {
            purge.close();
        }
        if (rotation != null) {
            rotation.close();
        }
    }
}
