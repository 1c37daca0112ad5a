package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.QueuedEvent.Source;
import outbox.listener.ControlledListener;
import outbox.listener.RunningCalls;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.DeadLetterStore;
import outbox.spi.FailureListener;
import outbox.spi.GuardedMetrics;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.UnitOfWork;
import outbox.util.DaemonThreadFactory;
import outbox.util.LeaseOwner;
import outbox.util.Ticks;

/**
 * Brings events to their listeners: two bounded queues, a fixed number of workers that run listeners synchronously, and
 * one thread that writes the outcomes in batches. It starts with {@code build()} and works until {@link #close()}.
 * Thread-safe.
 *
 * <p>Hot events come from {@link DispatcherWriterHook} right after commit, cold ones from a poller through
 * {@link DispatcherPollerHandler}; they meet here and are treated alike. A full queue refuses; the event stays in the
 * table and is polled later.
 */
public final class OutboxDispatcher implements AutoCloseable {
    public static final int DEFAULT_MAX_ATTEMPTS = 10;
    public static final int DEFAULT_WORKER_COUNT = 4;
    public static final int DEFAULT_HOT_QUEUE_CAPACITY = 1000;
    public static final int DEFAULT_COLD_QUEUE_CAPACITY = 1000;
    public static final long DEFAULT_DRAIN_TIMEOUT_MS = 5000;
    /** {@link Builder#maxBytesInFlight} is this part of the largest heap. */
    public static final int DEFAULT_HEAP_SHARE = 8;
    /** How long a row stays ours without a renewal. */
    public static final Duration DEFAULT_LEASE_TIME = Duration.ofSeconds(30);

    /** How long a call of a listener may take: longer than any timeout of a client in it should be. */
    public static final Duration DEFAULT_TIME_LIMIT = Duration.ofMinutes(10);
    /** Threads whose listener does not return after its time limit, beyond which that listener is not called again. */
    static final int MOST_ABANDONED = 100;

    private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

    private final long drainTimeoutNanos;
    private final MetricsExporter metrics;
    private final Duration leaseTime;

    private final InFlightEvents inFlight;
    private final @Nullable LeaseRenewal leases;
    private final Settler settler;
    private final DeliveryProtocol protocol;
    private final Intake intake;
    private final Threads threads;
    private final Signals signals;
    private final Steps steps;
    private final CountDownLatch ended = new CountDownLatch(1);

    private OutboxDispatcher(Builder builder) {
        ConnectionProvider connections = UnitOfWork.bounded(
                Objects.requireNonNull(builder.connectionProvider, "connectionProvider"), builder.leaseTime);
        OutboxStore store = Objects.requireNonNull(builder.outboxStore, "outboxStore");
        ListenerRegistry registry = Objects.requireNonNull(builder.listenerRegistry, "listenerRegistry");
        this.drainTimeoutNanos = Ticks.in(Duration.ofMillis(builder.drainTimeoutMs));
        this.metrics = GuardedMetrics.of(builder.metrics);
        LongSupplier ticks = Ticks.of(builder.clock);
        this.leaseTime = builder.leaseTime;
        this.inFlight = new InFlightEvents(
                builder.hotQueueCapacity,
                builder.coldQueueCapacity,
                builder.maxBytesInFlight,
                builder.ordered ? new OrderingKeys(ticks, leaseTime) : null,
                ticks,
                leaseTime);
        if (store instanceof LeasingOutboxStore leasing) {
            String owner = LeaseOwner.incarnationOf(builder.nodeId);
            this.leases = new LeaseRenewal(connections, leasing, owner, metrics, ticks, inFlight);
        } else if (builder.ordered || builder.completionMode == CompletionMode.DELETE) {
            throw new IllegalArgumentException((builder.ordered ? "ordered" : "completionMode(DELETE)")
                    + " needs a store that implements LeasingOutboxStore; "
                    + store.getClass().getName() + " does not");
        } else {
            this.leases = null;
        }
        this.threads = builder.newThreads();
        this.signals = new Signals(threads, inFlight, metrics);
        OutcomeWriter writer = new OutcomeWriter(connections, store, builder.clock, builder.deadLetterStore(store));
        this.settler = new Settler(writer, metrics, ticks, inFlight);
        Verdict verdict = new Verdict(
                builder.retryPolicy, builder.maxAttempts, builder.completionMode, builder.failureListener, ticks);
        this.protocol = new DeliveryProtocol(builder, writer, inFlight, verdict, settler, signals, metrics, ticks);
        this.intake = new Intake(inFlight, protocol, leases, signals, metrics, ticks);
        RunningCalls calls = new RunningCalls(ticks, metrics, Math.max(MOST_ABANDONED, builder.workerCount));
        Worker worker = new Worker(
                protocol,
                registry,
                List.copyOf(builder.interceptors),
                verdict,
                metrics,
                ticks,
                calls,
                builder.timeLimit,
                threads::replaceWorker,
                new AsyncLimits(builder.ordered ? builder.coldQueueCapacity / 4 : AsyncLimits.MOST, ticks));
        this.steps = new Steps(inFlight, protocol, settler, worker, calls, leases);
    }

    private OutboxDispatcher start() {
        threads.start(steps);
        return this;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** @return {@code false} if the hot queue is full, this dispatcher is closing, or half of the event's lease is over */
    public boolean enqueueHot(QueuedEvent event) {
        return intake.take(event, Source.HOT, InFlightEvents.ALWAYS_CURRENT);
    }

    /** @return {@code false} if the cold queue is full or this dispatcher is closing */
    public boolean enqueueCold(QueuedEvent event) {
        return intake.take(event, Source.COLD, InFlightEvents.ALWAYS_CURRENT);
    }

    /** How many more events {@link #enqueueCold} takes now. */
    public int coldQueueRemainingCapacity() {
        return inFlight.coldRoom();
    }

    /** Begins to watch how deliveries end. */
    public SettlementWatch watch() {
        return protocol.watch(() -> ended.getCount() > 0);
    }

    /** Whether {@link #close()} was called. */
    public boolean isClosed() {
        return intake.isClosed();
    }

    /** In whose name this dispatcher holds rows, as in the column {@code locked_by}; {@code null} if it cannot. */
    public @Nullable String leaseOwner() {
        return leases == null ? null : leases.owner();
    }

    /** How many events it has in flight: queued, with a listener, or about to be settled. */
    public int inFlight() {
        return inFlight.count();
    }

    // ---- what the bridges to writer and poller need -------------------------------------------------------------

    MetricsExporter metrics() {
        return metrics;
    }

    Intake intake() {
        return intake;
    }

    /** The present moment, for what is read from the table from now on; see {@link InFlightEvents#add}. */
    long moment() {
        return inFlight.moment();
    }

    Duration leaseTime() {
        return leaseTime;
    }

    void pollerAttached(Consumer<Duration> wakePoller, @Nullable Duration leaseTime) {
        if (inFlight.keys() != null && leaseTime != null && leaseTime.compareTo(this.leaseTime) > 0) {
            throw new IllegalArgumentException("the poller's claimLocking(" + leaseTime
                    + ") outlasts the leaseTime(" + this.leaseTime + ") of the ordered dispatcher behind it: an event"
                    + " could overtake its predecessor; set both to the same time");
        }
        signals.pollerIs(wakePoller);
        if (leaseTime != null) {
            inFlight.shortenLeases(leaseTime);
        }
    }

    Signals signals() {
        return signals;
    }

    Steps steps() {
        return steps;
    }

    /**
     * Takes no new events, lets the workers finish what is queued, at most for the drain timeout, then interrupts them.
     * What was not delivered keeps its row, and its lease is released for others to take. Concurrent callers wait
     * for the first call to finish. Called by a listener, it returns at once, and the rest happens when that has returned.
     */
    @Override
    public void close() {
        boolean first;
        synchronized (this) {
            first = !intake.isClosed();
            intake.close();
        }
        boolean byListener = threads.isWorker();
        if (first && byListener) {
            new DaemonThreadFactory("outbox-closing-").newThread(this::finish).start();
        } else if (first) {
            finish();
        } else if (!byListener) {
            awaitEnd();
        }
    }

    private void awaitEnd() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void finish() {
        try {
            drainAndEnd();
        } finally {
            ended.countDown();
        }
    }

    private void drainAndEnd() {
        long deadline = System.nanoTime() + drainTimeoutNanos;
        threads.endWorkers(deadline, steps::beforeInterrupting);
        threads.endTimeLimits();
        List<Delivery> left = inFlight.drain();
        signals.depthsChanged();
        left.forEach(protocol::release);
        settler.close();
        threads.endSettlement(deadline);
        protocol.close();
        steps.endRenewal();
        threads.endRenewal();
        if (!left.isEmpty()) {
            LOG.log(Level.INFO, left.size() + " undelivered event(s) were released to the table at close");
        }
        threads.restoreInterrupt();
    }

    /** Collects the parts of a dispatcher; not thread-safe. */
    public static final class Builder {
        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable OutboxStore outboxStore;
        private @Nullable ListenerRegistry listenerRegistry;

        @Nullable
        InFlightTracker inFlightTracker;

        RetryPolicy retryPolicy = new ExponentialBackoffRetryPolicy(
                ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS,
                ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);
        int maxAttempts = DEFAULT_MAX_ATTEMPTS;
        private int workerCount = DEFAULT_WORKER_COUNT;
        private int hotQueueCapacity = DEFAULT_HOT_QUEUE_CAPACITY;
        private int coldQueueCapacity = DEFAULT_COLD_QUEUE_CAPACITY;
        private long maxBytesInFlight = Runtime.getRuntime().maxMemory() / DEFAULT_HEAP_SHARE;
        private long drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS;
        MetricsExporter metrics = MetricsExporter.NOOP;
        FailureListener failureListener = FailureListener.NONE;

        @Nullable
        Runnable onDead;

        private final List<EventInterceptor> interceptors = new ArrayList<>();
        CompletionMode completionMode = CompletionMode.MARK;
        Duration leaseTime = DEFAULT_LEASE_TIME;
        private Duration timeLimit = DEFAULT_TIME_LIMIT;
        private String nodeId = LeaseOwner.defaultNodeId();
        private boolean ordered;
        private @Nullable ThreadFactory workerThreads;
        InstantSource clock = Ticks.systemClock();
        private boolean threads = true;
        private SharedWorkerPool.@Nullable Member sharedThreads;

        private Builder() {}

        /** Required. */
        public Builder connectionProvider(ConnectionProvider connectionProvider) {
            this.connectionProvider = connectionProvider;
            return this;
        }

        /** Required. */
        public Builder outboxStore(OutboxStore outboxStore) {
            this.outboxStore = outboxStore;
            return this;
        }

        /** Required. */
        public Builder listenerRegistry(ListenerRegistry listenerRegistry) {
            this.listenerRegistry = listenerRegistry;
            return this;
        }

        /** For dispatchers that share one; default: none, because a dispatcher never has one event in flight twice. */
        public Builder inFlightTracker(InFlightTracker inFlightTracker) {
            this.inFlightTracker = Objects.requireNonNull(inFlightTracker, "inFlightTracker");
            return this;
        }

        /** Default: exponential from 200 ms to 60 s. */
        public Builder retryPolicy(RetryPolicy retryPolicy) {
            this.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy");
            return this;
        }

        /** How often a listener is called for one event at most; default {@value #DEFAULT_MAX_ATTEMPTS}. */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = positive("maxAttempts", maxAttempts);
            return this;
        }

        /** The limit that was set, or the default. */
        public int maxAttempts() {
            return maxAttempts;
        }

        /** The capacity that was set, or the default. */
        public int coldQueueCapacity() {
            return coldQueueCapacity;
        }

        /** How many listeners run at a time; default {@value #DEFAULT_WORKER_COUNT}. With 0 nothing is delivered. */
        public Builder workerCount(int workerCount) {
            if (workerCount < 0) {
                throw new IllegalArgumentException("workerCount must not be negative: " + workerCount);
            }
            this.workerCount = workerCount;
            return this;
        }

        /** Default {@value #DEFAULT_HOT_QUEUE_CAPACITY}. */
        public Builder hotQueueCapacity(int hotQueueCapacity) {
            this.hotQueueCapacity = positive("hotQueueCapacity", hotQueueCapacity);
            return this;
        }

        /** Default {@value #DEFAULT_COLD_QUEUE_CAPACITY}. */
        public Builder coldQueueCapacity(int coldQueueCapacity) {
            this.coldQueueCapacity = positive("coldQueueCapacity", coldQueueCapacity);
            return this;
        }

        /**
         * How many bytes of payloads and headers may be in flight: queued, with a listener, or about to be settled. Half is
         * for hot events, half for cold ones. A hot event beyond it stays in the table, as if the hot queue were full, and
         * the poller claims no more than there is room for. Default: an eighth of the largest heap.
         */
        public Builder maxBytesInFlight(long maxBytesInFlight) {
            if (maxBytesInFlight <= 0) {
                throw new IllegalArgumentException("maxBytesInFlight must be positive: " + maxBytesInFlight);
            }
            this.maxBytesInFlight = maxBytesInFlight;
            return this;
        }

        /** The limit that was set, or the default. */
        public long maxBytesInFlight() {
            return maxBytesInFlight;
        }

        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Told of every failed delivery; default: nobody. */
        public Builder failureListener(FailureListener failureListener) {
            this.failureListener = Objects.requireNonNull(failureListener, "failureListener");
            return this;
        }

        /**
         * Marks events that die for a {@link outbox.dead.DeadLetterAnnouncer}, in the transaction of their outcome; the store
         * must implement {@link DeadLetterStore}.
         *
         * @param onDead called after an event died here; must not block
         */
        public Builder announceDead(Runnable onDead) {
            this.onDead = Objects.requireNonNull(onDead, "onDead");
            return this;
        }

        private @Nullable DeadLetterStore deadLetterStore(OutboxStore store) {
            if (onDead == null) {
                return null;
            }
            if (store instanceof DeadLetterStore deadLetters) {
                return deadLetters;
            }
            throw new IllegalArgumentException("announceDead needs a store that implements DeadLetterStore; "
                    + store.getClass().getName() + " does not");
        }

        /** Whether there is a {@link #failureListener}. */
        public boolean recordsFailures() {
            return failureListener != FailureListener.NONE;
        }

        /** Adds one; they run in the order they were added. */
        public Builder interceptor(EventInterceptor interceptor) {
            this.interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
            return this;
        }

        /** Adds several. */
        public Builder interceptors(List<? extends EventInterceptor> interceptors) {
            interceptors.forEach(this::interceptor);
            return this;
        }

        /** How long {@link #close()} waits for queued events; default {@value #DEFAULT_DRAIN_TIMEOUT_MS} ms. */
        public Builder drainTimeoutMs(long drainTimeoutMs) {
            if (drainTimeoutMs < 0) {
                throw new IllegalArgumentException("drainTimeoutMs must not be negative: " + drainTimeoutMs);
            }
            this.drainTimeoutMs = drainTimeoutMs;
            return this;
        }

        /** Default {@link CompletionMode#MARK}. */
        public Builder completionMode(CompletionMode completionMode) {
            this.completionMode = Objects.requireNonNull(completionMode, "completionMode");
            return this;
        }

        /**
         * How long other nodes leave a row alone that this one holds, if it stops renewing; default 30 s. All nodes on
         * one table use the same.
         */
        public Builder leaseTime(Duration leaseTime) {
            if (leaseTime.isNegative() || leaseTime.isZero()) {
                throw new IllegalArgumentException("leaseTime must be positive: " + leaseTime);
            }
            this.leaseTime = leaseTime;
            return this;
        }

        /**
         * How long a call of a listener may take, a batch being one call, an asynchronous listener's until its stage
         * completes; default 10 minutes. After that the listener is interrupted, its stage cancelled, and the attempt counts
         * as failed with a {@link outbox.DeliveryTimeoutException}. A worker whose listener ignores the interruption is
         * replaced. With {@link Duration#ZERO} there is no limit: a listener that never returns then holds its event and its
         * worker as long as the process lives.
         */
        public Builder timeLimit(Duration timeLimit) {
            this.timeLimit = ControlledListener.checkedTimeLimit(timeLimit);
            return this;
        }

        /** The first part of the lease owner; default: host name and process id. */
        public Builder nodeId(String nodeId) {
            this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
            return this;
        }

        /** Delivers the events of one aggregate one after the other; the poller must claim in order too. */
        public Builder ordered(boolean ordered) {
            this.ordered = ordered;
            return this;
        }

        /** Makes the worker threads; default: daemon platform threads. Virtual threads go here. */
        public Builder workerThreads(ThreadFactory workerThreads) {
            this.workerThreads = Objects.requireNonNull(workerThreads, "workerThreads");
            return this;
        }

        /** Default: the system's. */
        public Builder clock(InstantSource clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Without threads of its own the dispatcher is driven turn by turn, as the simulation does. */
        Builder withoutThreads() {
            this.threads = false;
            return this;
        }

        /** Has no threads of its own: those of the pool serve it, beside others. */
        public Builder sharedThreads(SharedWorkerPool.Member sharedThreads) {
            this.sharedThreads = Objects.requireNonNull(sharedThreads, "sharedThreads");
            return this;
        }

        private Threads newThreads() {
            if (sharedThreads != null) {
                return new SharedThreads(sharedThreads);
            }
            return threads ? new WorkerPool(workerCount, workerThreads) : Threads.NONE;
        }

        /** Builds and starts. */
        public OutboxDispatcher build() {
            return new OutboxDispatcher(this).start();
        }

        private static int positive(String what, int value) {
            if (value <= 0) {
                throw new IllegalArgumentException(what + " must be positive: " + value);
            }
            return value;
        }
    }
}
