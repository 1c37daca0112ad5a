package outbox;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.dead.DeadLetterAnnouncer;
import outbox.dead.FailedEventAlert;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.EventInterceptor;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.RetryPolicy;
import outbox.dispatch.SharedWorkerPool;
import outbox.listener.RetryPreset;
import outbox.poller.LeasedPollerHandler;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.purge.RotationScheduler;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.DeadLetterListener;
import outbox.spi.DeadLetterStore;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.spi.EventSeal;
import outbox.spi.FailureListener;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.RetentionPurger;
import outbox.spi.TableRotation;
import outbox.spi.TxContext;
import outbox.util.JsonCodec;
import outbox.util.Ticks;
import outbox.util.VirtualThreads;

/**
 * Collects the parts of an {@link Outbox}. What contradicts itself is refused by {@link #build()}, by name. Not
 * thread-safe.
 */
public final class OutboxBuilder {
    /** How long to wait for the next poll when the last one found nothing more. */
    public static final Duration DEFAULT_POLL_INTERVAL = Duration.ofSeconds(1);
    /** How many rows one claim takes at most. */
    public static final int DEFAULT_CLAIM_SIZE = 500;

    enum Mode {
        SINGLE_NODE("singleNode()"),
        MULTI_NODE("multiNode()"),
        WRITER_ONLY("writerOnly()");

        final String form;

        Mode(String form) {
            this.form = form;
        }
    }

    final Mode mode;

    @Nullable
    OutboxStore store;

    @Nullable
    ConnectionProvider connections;

    @Nullable
    TxContext transactions;

    @Nullable
    WriterHook writerHook;

    EventSeal seal = EventSeal.NONE;

    boolean ordered;

    @Nullable
    ListenerRegistry listeners;

    private @Nullable EventPurger purger;
    private @Nullable TableRotation partitions;
    private Election election = Election.UNOPPOSED;
    private @Nullable Duration retention;
    private @Nullable Duration deadRetention;
    private @Nullable Duration purgeInterval;
    private MetricsExporter metrics = MetricsExporter.NOOP;
    private FailureListener failureListener = FailureListener.NONE;
    private @Nullable DeadLetterListener deadLetterListener;
    private JsonCodec jsonCodec = JsonCodec.getDefault();
    private InstantSource clock = Ticks.systemClock();
    private final OutboxDispatcher.Builder dispatcher = OutboxDispatcher.builder();
    private final List<String> deliverySettings = new ArrayList<>();
    private Duration leaseTime = OutboxDispatcher.DEFAULT_LEASE_TIME;
    private Duration pollInterval = DEFAULT_POLL_INTERVAL;
    int claimSize = DEFAULT_CLAIM_SIZE;
    boolean pollOnDemand;
    FailedEventAlert failedEventAlert = OutboxRelay::log;

    boolean managed;
    Consumer<Duration> onWakeUp = delay -> {};

    OutboxBuilder(Mode mode) {
        this.mode = mode;
    }

    /** Required. */
    public OutboxBuilder store(OutboxStore store) {
        this.store = Objects.requireNonNull(store, "store");
        return this;
    }

    /** Required: where the engine gets its short connections. */
    public OutboxBuilder connections(ConnectionProvider connections) {
        this.connections = Objects.requireNonNull(connections, "connections");
        return this;
    }

    /** The transactions that are written in; without it the outbox only delivers. */
    public OutboxBuilder transactions(TxContext transactions) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        return this;
    }

    /** Sees, and may change, what is written. May be called several times: each hook gets what the one before it left. */
    public OutboxBuilder writerHook(WriterHook writerHook) {
        Objects.requireNonNull(writerHook, "writerHook");
        this.writerHook = this.writerHook == null ? writerHook : new HookChain(this.writerHook, writerHook);
        return this;
    }

    /** The form events have in the table; default: as they are written. All processes on a table need the same. */
    public OutboxBuilder seal(EventSeal seal) {
        this.seal = Objects.requireNonNull(seal, "seal");
        return this;
    }

    /** Required unless this is the writer-only form. */
    public OutboxBuilder listeners(ListenerRegistry listeners) {
        this.listeners = Objects.requireNonNull(listeners, "listeners");
        return delivery("listeners");
    }

    /** Keeps the order of each aggregate, over all nodes; the table needs the column {@code seq}. */
    public OutboxBuilder ordered() {
        this.ordered = true;
        return delivery("ordered");
    }

    /** See {@link OutboxDispatcher.Builder#workerCount}. */
    public OutboxBuilder workerCount(int workerCount) {
        dispatcher.workerCount(workerCount);
        return delivery("workerCount");
    }

    /** See {@link OutboxDispatcher.Builder#workerThreads}. */
    public OutboxBuilder workerThreads(ThreadFactory workerThreads) {
        dispatcher.workerThreads(workerThreads);
        return delivery("workerThreads");
    }

    /**
     * Runs listeners on virtual threads where the JDK has them, on platform threads elsewhere. {@link #workerCount} still
     * says how many run at a time, and can be far larger then.
     */
    public OutboxBuilder virtualThreads() {
        ThreadFactory virtual = VirtualThreads.factory("outbox-worker-");
        if (virtual != null) {
            dispatcher.workerThreads(virtual);
        }
        return delivery("virtualThreads");
    }

    /** See {@link OutboxDispatcher.Builder#hotQueueCapacity}. */
    public OutboxBuilder hotQueueCapacity(int hotQueueCapacity) {
        dispatcher.hotQueueCapacity(hotQueueCapacity);
        return delivery("hotQueueCapacity");
    }

    /** See {@link OutboxDispatcher.Builder#coldQueueCapacity}. */
    public OutboxBuilder coldQueueCapacity(int coldQueueCapacity) {
        dispatcher.coldQueueCapacity(coldQueueCapacity);
        return delivery("coldQueueCapacity");
    }

    /**
     * See {@link OutboxDispatcher.Builder#maxBytesInFlight}. One claim takes a quarter of it at most, which is half of what
     * there is for cold events.
     */
    public OutboxBuilder maxBytesInFlight(long maxBytesInFlight) {
        dispatcher.maxBytesInFlight(maxBytesInFlight);
        return delivery("maxBytesInFlight");
    }

    /** See {@link OutboxDispatcher.Builder#maxAttempts}. */
    public OutboxBuilder maxAttempts(int maxAttempts) {
        dispatcher.maxAttempts(maxAttempts);
        return delivery("maxAttempts");
    }

    /** See {@link OutboxDispatcher.Builder#retryPolicy}. */
    public OutboxBuilder retryPolicy(RetryPolicy retryPolicy) {
        dispatcher.retryPolicy(retryPolicy);
        return delivery("retryPolicy");
    }

    /** Delays and attempt limit of a named schedule. */
    public OutboxBuilder retry(RetryPreset preset) {
        dispatcher.retryPolicy(preset.policy()).maxAttempts(preset.maxAttempts());
        return delivery("retry");
    }

    /** See {@link OutboxDispatcher.Builder#interceptor}. */
    public OutboxBuilder interceptor(EventInterceptor interceptor) {
        dispatcher.interceptor(interceptor);
        return delivery("interceptor");
    }

    /** Told of failed deliveries, and of rows that cannot be decoded; see {@link FailureListener}. */
    public OutboxBuilder failureListener(FailureListener failureListener) {
        dispatcher.failureListener(failureListener);
        this.failureListener = failureListener;
        return delivery("failureListener");
    }

    /**
     * Called at least once for each event that becomes a dead letter, after its row is DEAD; see {@link DeadLetterListener}.
     * The store must implement {@link DeadLetterStore}, as those of {@code outbox-jdbc} do.
     */
    public OutboxBuilder deadLetterListener(DeadLetterListener deadLetterListener) {
        this.deadLetterListener = Objects.requireNonNull(deadLetterListener, "deadLetterListener");
        return delivery("deadLetterListener");
    }

    /** See {@link OutboxDispatcher.Builder#completionMode}. */
    public OutboxBuilder completionMode(CompletionMode completionMode) {
        dispatcher.completionMode(completionMode);
        return delivery("completionMode");
    }

    /** See {@link OutboxDispatcher.Builder#drainTimeoutMs}. */
    public OutboxBuilder drainTimeout(Duration drainTimeout) {
        dispatcher.drainTimeoutMs(TimeUnit.MILLISECONDS.convert(drainTimeout));
        return delivery("drainTimeout");
    }

    /** See {@link OutboxDispatcher.Builder#nodeId}. */
    public OutboxBuilder nodeId(String nodeId) {
        dispatcher.nodeId(nodeId);
        return delivery("nodeId");
    }

    /** See {@link OutboxDispatcher.Builder#leaseTime}. */
    public OutboxBuilder leaseTime(Duration leaseTime) {
        dispatcher.leaseTime(leaseTime);
        this.leaseTime = leaseTime;
        return delivery("leaseTime");
    }

    /** See {@link OutboxDispatcher.Builder#timeLimit}. */
    public OutboxBuilder timeLimit(Duration timeLimit) {
        dispatcher.timeLimit(timeLimit);
        return delivery("timeLimit");
    }

    /** How long to wait when there was nothing more to read; default 1 s. */
    public OutboxBuilder pollInterval(Duration pollInterval) {
        this.pollInterval = positive("pollInterval", pollInterval);
        return delivery("pollInterval");
    }

    /**
     * Does not poll by itself: what the hot path does not deliver waits until somebody calls {@link Outbox#relay()}. For
     * schedulers from outside.
     */
    public OutboxBuilder pollOnDemand() {
        this.pollOnDemand = true;
        return delivery("pollOnDemand");
    }

    /** Whom {@link OutboxRelay#warnFailedOnce} tells of dead events; default: the log. */
    public OutboxBuilder failedEventAlert(FailedEventAlert failedEventAlert) {
        this.failedEventAlert = Objects.requireNonNull(failedEventAlert, "failedEventAlert");
        return delivery("failedEventAlert");
    }

    /** How many rows one claim takes at most, and half of the cold queue; default {@value #DEFAULT_CLAIM_SIZE}. */
    public OutboxBuilder claimSize(int claimSize) {
        if (claimSize <= 0) {
            throw new IllegalArgumentException("claimSize must be positive: " + claimSize);
        }
        this.claimSize = claimSize;
        return delivery("claimSize");
    }

    /** Deletes terminal rows after their retention; without a purger they stay. */
    public OutboxBuilder purger(EventPurger purger) {
        this.purger = Objects.requireNonNull(purger, "purger");
        return this;
    }

    /**
     * Keeps a partitioned table in shape, in place of a purger: at the start and then at the purge interval. See
     * {@code DailyPartitions} of {@code outbox-jdbc}.
     */
    public OutboxBuilder partitions(TableRotation partitions) {
        this.partitions = Objects.requireNonNull(partitions, "partitions");
        return this;
    }

    /** Lets one node purge at a time; by default all do. {@code JdbcOutbox} sets the one of the database. */
    public OutboxBuilder election(Election election) {
        this.election = Objects.requireNonNull(election, "election");
        return this;
    }

    /**
     * How long dead letters stay after they died; default 30 days, or the {@link #retention} if that is longer. With
     * {@link #ordered()} those that block their aggregate stay until somebody replays, skips or parks them. Needs a purger
     * or partitions.
     */
    public OutboxBuilder deadRetention(Duration deadRetention) {
        if (deadRetention.isNegative()) {
            throw new IllegalArgumentException("deadRetention must not be negative: " + deadRetention);
        }
        this.deadRetention = deadRetention;
        return this;
    }

    /** How long delivered rows stay; default 7 days. Needs a purger or partitions. */
    public OutboxBuilder retention(Duration retention) {
        if (retention.isNegative()) {
            throw new IllegalArgumentException("retention must not be negative: " + retention);
        }
        this.retention = retention;
        return this;
    }

    /** How often to purge; default one hour. Needs a purger or partitions. */
    public OutboxBuilder purgeInterval(Duration purgeInterval) {
        this.purgeInterval = positive("purgeInterval", purgeInterval);
        return this;
    }

    public OutboxBuilder metrics(MetricsExporter metrics) {
        this.metrics = Objects.requireNonNull(metrics, "metrics");
        return this;
    }

    /** Reads the headers of polled rows; give the store the same. */
    public OutboxBuilder jsonCodec(JsonCodec jsonCodec) {
        this.jsonCodec = Objects.requireNonNull(jsonCodec, "jsonCodec");
        return this;
    }

    /** Default: the system's. */
    public OutboxBuilder clock(InstantSource clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /**
     * Builds; the workers are ready, {@link Outbox#start()} begins to poll. The outbox keeps this builder for the case that
     * it is stopped and started again.
     *
     * @throws IllegalArgumentException if a part is missing or two settings contradict each other
     */
    public Outbox build() {
        require("store", store);
        require("connections", connections);
        if (mode == Mode.WRITER_ONLY) {
            require("transactions", transactions);
            if (!deliverySettings.isEmpty()) {
                throw contradiction(deliverySettings + " concern delivery, which " + mode.form + " does not do");
            }
        } else {
            require("listeners", listeners);
            if (!(store instanceof LeasingOutboxStore)) {
                throw contradiction(mode.form + " leases rows, but "
                        + Objects.requireNonNull(store).getClass().getName()
                        + " does not implement LeasingOutboxStore; wire OutboxDispatcher and OutboxPoller yourself");
            }
        }
        if (deadLetterListener != null && !(store instanceof DeadLetterStore)) {
            throw contradiction("deadLetterListener(...) needs a store that implements DeadLetterStore; "
                    + Objects.requireNonNull(store).getClass().getName() + " does not");
        }
        if (purger == null
                && partitions == null
                && (retention != null || deadRetention != null || purgeInterval != null)) {
            throw contradiction("retention, deadRetention and purgeInterval need a purger(...) or partitions(...)");
        }
        if ((ordered || deadRetention != null) && purger != null && !(purger instanceof RetentionPurger)) {
            throw contradiction("purger(" + purger + ") does not treat dead letters separately, which "
                    + (ordered ? "ordered()" : "deadRetention(...)") + " needs: let it implement RetentionPurger");
        }
        if (mode != Mode.WRITER_ONLY) {
            refuseToPurgeUndelivered();
        }
        if (ordered && partitions != null) {
            throw contradiction(
                    "ordered() and partitions(...) do not go together: order needs a number that is unique over"
                            + " all partitions");
        }
        return new Outbox(this);
    }

    private void refuseToPurgeUndelivered() {
        if (partitions != null ? partitions.takesUndelivered() : purger != null && purger.purgesUndelivered()) {
            throw contradiction((partitions != null ? "partitions(" + partitions : "purger(" + purger)
                    + ") goes by age alone and would take events that " + mode.form
                    + " has not delivered yet; it is for writerOnly()");
        }
    }

    /**
     * Builds an outbox without threads of its own. For the multi-database relay.
     *
     * @param onWakeUp told when a poll is wanted, and how soon
     */
    public ManagedOutbox buildManaged(SharedWorkerPool workerPool, String name, Consumer<Duration> onWakeUp) {
        List<String> refused = new ArrayList<>(deliverySettings);
        refused.retainAll(List.of("workerCount", "workerThreads", "virtualThreads", "pollOnDemand", "pollInterval"));
        if (mode == Mode.WRITER_ONLY || !refused.isEmpty()) {
            throw contradiction(
                    mode == Mode.WRITER_ONLY
                            ? "a fleet delivers, which " + mode.form + " does not do"
                            : refused + " of " + name + " are the fleet's to decide: set them there");
        }
        this.managed = true;
        this.onWakeUp = onWakeUp;
        SharedWorkerPool.Member threads = workerPool.join(name);
        dispatcher.sharedThreads(threads);
        Outbox outbox = build();
        return new ManagedOutbox(outbox, outbox.delivery(), threads, purgeIntervalOrDefault());
    }

    private Duration purgeIntervalOrDefault() {
        return purgeInterval == null
                ? Duration.ofSeconds(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS)
                : purgeInterval;
    }

    private OutboxBuilder delivery(String setting) {
        deliverySettings.add(setting);
        return this;
    }

    private void require(String part, @Nullable Object value) {
        if (value == null) {
            throw new IllegalArgumentException(mode.form + " needs " + part + "(...)");
        }
    }

    private static IllegalArgumentException contradiction(String what) {
        return new IllegalArgumentException(what);
    }

    private static Duration positive(String what, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(what + " must be positive: " + value);
        }
        return value;
    }

    OutboxSettings settings() {
        return new OutboxSettings(
                OutboxSettings.Form.valueOf(mode.name()),
                transactions != null,
                ordered,
                leaseTime,
                dispatcher.maxAttempts(),
                dispatcher.recordsFailures());
    }

    /** @return {@code null} if nobody listens */
    @Nullable
    DeadLetterAnnouncer announcer() {
        return deadLetterListener == null || !(store instanceof DeadLetterStore deadLetters)
                ? null
                : new DeadLetterAnnouncer(
                        Objects.requireNonNull(connections),
                        deadLetters,
                        deadLetterListener,
                        jsonCodec,
                        seal,
                        leaseTime);
    }

    OutboxDispatcher.Builder dispatcher(@Nullable DeadLetterAnnouncer announcer) {
        if (announcer != null) {
            dispatcher.announceDead(announcer::wakeUp);
        }
        return dispatcher
                .outboxStore(Objects.requireNonNull(store))
                .connectionProvider(Objects.requireNonNull(connections))
                .listenerRegistry(Objects.requireNonNull(listeners))
                .metrics(metrics)
                .ordered(ordered)
                .clock(clock);
    }

    /** @param first whether what an earlier life left leased may be taken over: nothing of this life is leased yet */
    OutboxPoller poller(LeasedPollerHandler handler, boolean first, @Nullable DeadLetterAnnouncer announcer) {
        OutboxPoller.Builder poller = OutboxPoller.builder()
                .outboxStore(Objects.requireNonNull(store))
                .connectionProvider(Objects.requireNonNull(connections))
                .handler(handler)
                .ordered(ordered)
                .batchSize(Math.min(claimSize, Math.max(1, dispatcher.coldQueueCapacity() / 2))) // room for two
                .maxBatchBytes(Math.max(1, dispatcher.maxBytesInFlight() / 4)) // room for two here too
                .intervalMs(Math.max(1, TimeUnit.MILLISECONDS.convert(pollInterval)))
                .jsonCodec(jsonCodec)
                .seal(seal)
                .metrics(metrics)
                .failureListener(failureListener)
                .clock(clock);
        if (announcer != null) {
            poller.announceDead(announcer::wakeUp);
        }
        if (mode == Mode.MULTI_NODE || !first) {
            poller.claimLocking(leaseTime);
        }
        return poller.build();
    }

    @Nullable
    RotationScheduler rotationScheduler() {
        return partitions == null
                ? null
                : new RotationScheduler(
                        Objects.requireNonNull(connections),
                        partitions,
                        retention == null ? OutboxPurgeScheduler.DEFAULT_RETENTION : retention,
                        deadRetention,
                        purgeIntervalOrDefault(),
                        clock);
    }

    @Nullable
    OutboxPurgeScheduler purgeScheduler() {
        if (purger == null || partitions != null) {
            return null;
        }
        OutboxPurgeScheduler.Builder purge = OutboxPurgeScheduler.builder()
                .connectionProvider(Objects.requireNonNull(connections))
                .purger(purger)
                .election(election)
                .ordered(ordered)
                .clock(clock);
        if (deadRetention != null) {
            purge.deadRetention(deadRetention);
        }
        if (retention != null) {
            purge.retention(retention);
        }
        if (purgeInterval != null) {
            purge.intervalSeconds(Math.max(1, purgeInterval.toSeconds()));
        }
        return purge.build();
    }
}
