package outbox;

import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.dead.DeadEventManager;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.OutboxDispatcher;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.OutboxStore;
import outbox.spi.UnitOfWork;

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
    private final @Nullable OutboxRelay relay;
    private final boolean ordered;
    private final boolean polls;
    private final boolean managed;
    private final OutboxSettings settings;
    private final OutboxBuilder builder;
    private volatile Engine engine;
    private boolean closed; // guarded by this
    private volatile boolean ran;

    Outbox(OutboxBuilder builder) {
        this.store = Objects.requireNonNull(builder.store);
        this.connections = Objects.requireNonNull(builder.connections);
        this.deadEvents = new DeadEventManager(connections, store, builder.listeners);
        this.ordered = builder.ordered;
        this.managed = builder.managed;
        this.polls = !builder.pollOnDemand && !managed;
        this.settings = builder.settings();
        this.builder = builder;
        this.engine = new Engine(builder, true);
        if (builder.mode == OutboxBuilder.Mode.WRITER_ONLY) {
            this.relay = null;
            this.writer = writer(builder, builder.writerHook);
        } else {
            this.relay = new OutboxRelay(
                    () -> engine.requireDelivery(), connections, store, builder.claimSize, builder.failedEventAlert);
            WriterHook hot = new DispatcherWriterHook(
                    () -> engine.requireDelivery().dispatcher()); // of the engine that runs then
            this.writer = writer(builder, builder.writerHook == null ? hot : new HookChain(builder.writerHook, hot));
        }
    }

    private @Nullable OutboxWriter writer(OutboxBuilder builder, @Nullable WriterHook hook) {
        return builder.transactions == null ? null : new OutboxWriter(builder.transactions, store, hook, builder.seal);
    }

    /**
     * For the only process that uses the table: what an earlier process had leased is taken over at its first start, at
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
     * Checks the table and starts to poll and purge; also again, after {@link #stop()}. If that fails, no thread is left
     * behind.
     *
     * @return this
     * @throws IllegalStateException if the table is missing, lacks a column or cannot be written to, or this was closed
     */
    public Outbox start() {
        if (managed) {
            throw new IllegalStateException("this outbox belongs to a fleet, which starts it");
        }
        Engine starting = openEngine();
        if (starting.isRunning(polls)) {
            return this;
        }
        try {
            verifyAndBegin(starting);
        } catch (RuntimeException | Error e) {
            starting.close();
            throw e;
        }
        starting.start(polls);
        return this;
    }

    private synchronized Engine openEngine() {
        if (closed) {
            throw new IllegalStateException("this outbox was closed; build a new one");
        }
        if (engine.isClosed()) {
            engine = new Engine(builder, !ran && inFlight() == 0);
        }
        return engine;
    }

    private void verifyAndBegin(Engine starting) {
        if (store instanceof LeasingOutboxStore leasing) {
            verifySchema(leasing);
        }
        starting.begin();
        ran = true;
    }

    // ---- for a managed outbox ---------------------------------------------------------------------------------------

    void verifyAndStart() {
        verifyAndBegin(engine);
    }

    Engine.Path delivery() {
        return engine.requireDelivery();
    }

    boolean purges() {
        return engine.purges();
    }

    private void verifySchema(LeasingOutboxStore leasing) {
        try {
            UnitOfWork.single(UnitOfWork.bounded(connections, OutboxDispatcher.DEFAULT_LEASE_TIME), conn -> {
                if (ordered) {
                    leasing.verifyOrderedSchema(conn);
                } else {
                    leasing.verifySchema(conn);
                }
                leasing.verifyWritable(conn, settings.form() != OutboxSettings.Form.WRITER_ONLY);
                return true;
            });
        } catch (SQLException e) {
            throw new IllegalStateException("could not check the outbox table: " + e.getMessage(), e);
        }
    }

    /** @throws IllegalStateException if this was built without {@code transactions} */
    public OutboxWriter writer() {
        if (writer == null) {
            throw new IllegalStateException(
                    "this outbox was built without transactions(...), so it delivers but cannot write");
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
        engine.purgeOnce();
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
        return engine.isRunning(polls);
    }

    /** What this was built with. */
    public OutboxSettings settings() {
        return settings;
    }

    /** In whose name rows are held, as in the column {@code locked_by}; {@code null} if none are. */
    public @Nullable String leaseOwner() {
        Engine.Path delivery = engine.delivery();
        return delivery == null ? null : delivery.dispatcher().leaseOwner();
    }

    /** How many events are in flight: queued, with a listener, or about to be settled. */
    public int inFlight() {
        Engine.Path delivery = engine.delivery();
        return delivery == null ? 0 : delivery.dispatcher().inFlight();
    }

    /** Polls now, one batch, on the caller's thread; nothing in the writer-only form. */
    public void pollOnce() {
        Engine.Path delivery = engine.delivery();
        if (delivery != null) {
            delivery.poller().poll();
        }
    }

    /**
     * Stops claiming, lets what is queued be delivered within the drain timeout, gives the rest back to the table. The
     * writer goes on to work; what it writes from now on waits for another node or the next {@link #start()}.
     */
    public void stop() {
        engine.close();
    }

    /** Stops for good. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        stop();
    }
}
