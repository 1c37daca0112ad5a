package outbox.poller;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.RetryAfterException;
import outbox.model.Lease;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.ConnectionProvider;
import outbox.spi.DeadLetterStore;
import outbox.spi.EventSeal;
import outbox.spi.FailedDelivery;
import outbox.spi.FailureListener;
import outbox.spi.GuardedMetrics;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.JsonCodec;
import outbox.util.LeaseOwner;
import outbox.util.Loop;
import outbox.util.Ticks;

/**
 * Reads what is due in the table and hands it to a handler: what the hot path dropped, retries, delayed events, and
 * what a dead node left. It asks for as many rows as the handler has room for, goes on at once after a full batch of new
 * ones, and otherwise waits for its interval or for a wake-up. Thread-safe.
 *
 * <p>Several nodes on one table need {@code claimLocking}. Without it this poller takes itself for the only one: rows that
 * others hold are taken over at its first poll, or simply read where the store or the handler knows no leases.
 */
public final class OutboxPoller implements AutoCloseable {
    public static final Duration DEFAULT_SKIP_RECENT = Duration.ZERO;
    public static final int DEFAULT_BATCH_SIZE = 50;
    public static final long DEFAULT_INTERVAL_MS = 5000;

    private static final Logger LOG = System.getLogger(OutboxPoller.class.getName());
    /** Before a full batch is read again that the handler has in flight, or did not take. */
    private static final Duration NO_NEWS_PAUSE = Duration.ofMillis(100);

    private static final Duration OUT_OF_MEMORY_PAUSE = Duration.ofSeconds(5);
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** {@link Builder#maxBatchBytes} is this part of the largest heap. */
    private static final int DEFAULT_HEAP_SHARE = 32;

    private final ConnectionProvider connections;
    private final OutboxStore store;
    private final OutboxPollerHandler handler;
    private final Duration skipRecent;
    private final Duration interval;
    private final MetricsExporter metrics;
    private final FailureListener failureListener;
    private final @Nullable Runnable onDead;
    private final InstantSource clock;
    private final LongSupplier ticks;
    private final EventDecoder decoder;
    private final @Nullable Duration leaseTime;
    private final boolean ordered;
    private final boolean sole;

    private final Alarm alarm;
    private final FailureLog failures;
    private final PollFigures figures; // guarded by polling
    private final PollSize size; // guarded by polling
    private final SuspectMemory suspects = new SuspectMemory(); // guarded by polling
    private final ReentrantLock polling = new ReentrantLock();
    private @Nullable String owner; // guarded by polling
    private boolean tookOver; // guarded by polling
    private List<String> lastUnclaimed = List.of(); // ids of the last batch; guarded by polling
    private @Nullable Loop loop; // guarded by this
    private boolean closed; // guarded by this

    private OutboxPoller(Builder builder) {
        ConnectionProvider given = Objects.requireNonNull(builder.connectionProvider, "connectionProvider");
        this.store = Objects.requireNonNull(builder.outboxStore, "outboxStore");
        this.handler = Objects.requireNonNull(builder.handler, "handler");
        this.skipRecent = builder.skipRecent;
        this.interval = Duration.ofMillis(builder.intervalMs);
        this.metrics = GuardedMetrics.of(builder.metrics);
        this.failureListener = builder.failureListener;
        this.onDead = builder.onDead;
        this.clock = builder.clock;
        this.ticks = Ticks.of(builder.clock);
        this.decoder = new EventDecoder(builder.jsonCodec, builder.seal);
        this.sole = builder.leaseTime == null;
        this.leaseTime = sole ? ownLeaseTime() : builder.leaseTime;
        this.connections = UnitOfWork.bounded(given, leaseTime == null ? Duration.ZERO : leaseTime);
        this.owner = leaseTime == null ? null : owner(builder.ownerId);
        this.ordered = builder.ordered;
        this.alarm = new Alarm(ticks);
        this.failures = new FailureLog(LOG, Level.ERROR, "polling", ticks);
        this.figures = new PollFigures(connections, store, metrics, clock, ticks);
        this.size = new PollSize(
                builder.batchSize, builder.maxBatchBytes, leaseTime != null && store instanceof LeasingOutboxStore);
        if (onDead != null && !(store instanceof DeadLetterStore)) {
            throw new IllegalArgumentException("announceDead needs a store that implements DeadLetterStore; "
                    + store.getClass().getName() + " does not");
        }
        if (ordered && (leaseTime == null || !(store instanceof LeasingOutboxStore))) {
            throw new IllegalArgumentException(
                    "ordered needs claimLocking and a store that implements LeasingOutboxStore");
        }
        if (ordered && !skipRecent.isZero()) {
            throw new IllegalArgumentException("ordered and skipRecent(" + skipRecent
                    + ") contradict each other: order goes by the insert, skipRecent by the time an event occurred");
        }
        if (handler instanceof LeasedPollerHandler leased) {
            leased.attached(this::wakeUp, leaseTime);
        }
    }

    /** Without {@code claimLocking} rows are claimed all the same where both sides know leases. */
    private @Nullable Duration ownLeaseTime() {
        return store instanceof LeasingOutboxStore
                        && handler instanceof LeasedPollerHandler leased
                        && leased.leaseOwner() != null
                ? leased.leaseTime()
                : null;
    }

    private String owner(@Nullable String ownerId) {
        if (ownerId == null && handler instanceof LeasedPollerHandler leased && leased.leaseOwner() != null) {
            return leased.leaseOwner();
        }
        return LeaseOwner.incarnationOf(ownerId == null ? LeaseOwner.defaultNodeId() : ownerId);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Starts polling on a thread of its own; a second call does nothing. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("this poller was closed; build a new one");
        }
        if (loop == null) {
            loop = new Loop("outbox poller", new DaemonThreadFactory("outbox-poller-"), this::turn).start();
        }
    }

    private boolean turn() throws InterruptedException {
        if (!alarm.await()) {
            return false;
        }
        alarm.set(interval);
        Duration next = pollOnce();
        if (next.compareTo(interval) < 0) {
            alarm.bringForward(next);
        }
        return true;
    }

    /** Polls now, on the caller's thread, one batch. What goes wrong is logged; the next poll tries again. */
    public void poll() {
        pollOnce();
    }

    /**
     * As {@link #poll()}, for callers that want to know.
     *
     * @return how many rows were read
     */
    public int pollOrFail() throws SQLException {
        return pollBatch().read();
    }

    /**
     * What a poll found.
     *
     * @param read how many rows
     * @param isFull whether there is probably more
     * @param wasNews whether the handler took all of them, and they were not the same as the last time
     */
    private record Found(int read, boolean isFull, boolean wasNews) {}

    private Found pollBatch() throws SQLException {
        polling.lock(); // not our monitor: a database that does not answer must not keep close() waiting
        try {
            PollSize.Limit limit = size.within(handler.availableCapacity(), handler.availableBytes());
            if (limit.rows() <= 0) {
                return new Found(0, false, false);
            }
            Found found = leaseTime != null ? pollClaimed(limit, leaseTime) : pollUnclaimed(limit);
            figures.tellPending();
            return found;
        } catch (SQLException | RuntimeException | Error e) {
            if (PollSize.isForMemory(e)) {
                size.tooMuch();
            }
            throw e;
        } finally {
            polling.unlock();
        }
    }

    /** Whether {@link #start()} was called, and the thread it started works. */
    public synchronized boolean isRunning() {
        return !closed && loop != null && loop.isAlive();
    }

    /** Polls after {@code delay} at the latest, instead of waiting for the interval. */
    public void wakeUp(Duration delay) {
        alarm.bringForward(delay);
    }

    /**
     * @return when there is probably more to read
     */
    private Duration pollOnce() {
        try {
            Found found = pollBatch();
            failures.succeeded();
            if (!found.isFull()) {
                return interval;
            }
            return found.wasNews() ? Duration.ZERO : NO_NEWS_PAUSE;
        } catch (SQLException | RuntimeException | OutOfMemoryError e) {
            if (PollSize.isForMemory(e)) {
                failures.failed("out of memory at a poll; the next one reads half as much", e);
                return NO_NEWS_PAUSE;
            }
            failures.failed("poll failed; tried again in " + interval, e);
            return interval;
        }
    }

    private Found pollUnclaimed(PollSize.Limit limit) throws SQLException {
        List<OutboxEvent> rows = UnitOfWork.single(
                connections, conn -> store.pollPending(conn, clock.instant(), skipRecent, limit.rows()));
        boolean full = limit.isReachedBy(rows.size(), size.read(rows));
        figures.tellRead(rows);
        List<String> ids = rows.stream().map(OutboxEvent::eventId).toList();
        boolean news = !ids.equals(lastUnclaimed); // else they are in flight, and stay in the table until they are done
        lastUnclaimed = List.of();
        for (OutboxEvent row : rows) {
            EventEnvelope event = decode(
                    row,
                    later -> {}, // it stays as it is and is read by the next poll
                    e -> buryUnclaimed(row, e));
            if (event != null && !handler.handle(event, row.attempts())) {
                return new Found(rows.size(), full, false);
            }
        }
        lastUnclaimed = ids;
        return new Found(rows.size(), full, news);
    }

    private Found pollClaimed(PollSize.Limit limit, Duration lease) throws SQLException {
        String claimer = Objects.requireNonNull(owner);
        if (sole && !tookOver && store instanceof LeasingOutboxStore leasing) {
            int freed = UnitOfWork.single(connections, conn -> leasing.expireOthers(conn, claimer));
            tookOver = true;
            if (freed > 0) {
                LOG.log(Level.INFO, "this node takes over " + freed + " event(s) an earlier one held");
            }
        }
        boolean inHand = false;
        try {
            Found found = claimAndHandOver(claimer, lease, limit);
            inHand = true;
            return found;
        } finally {
            if (!inHand && ordered) {
                owner = LeaseOwner.anotherOf(claimer);
            }
        }
    }

    /**
     * If this fails, rows may be leased to the claimer that nobody has in flight: the claim was committed and its answer
     * got lost, or some could not be given back. An ordered claim takes what follows rows of its own, which would now
     * overtake them. Under another name they are a stranger's, and block their aggregates until their leases are over.
     */
    private Found claimAndHandOver(String claimer, Duration lease, PollSize.Limit limit) throws SQLException {
        AtomicLong claimedAt = new AtomicLong();
        AtomicBoolean late = new AtomicBoolean();
        List<OutboxEvent> rows = suspects.applyTo(UnitOfWork.single(connections, conn -> {
            claimedAt.set(ticks.getAsLong()); // not before: the wait for a connection is not part of the lease
            try {
                return claim(conn, claimer, lease, limit);
            } finally {
                late.set(ticks.getAsLong() - claimedAt.get() >= Ticks.in(lease) * 2 / 3);
                if (late.get()) {
                    size.tooMuch();
                }
            }
        }));
        figures.tellRead(rows);
        boolean full = isFull(limit, rows);
        if (late.get() && !rows.isEmpty()) {
            releaseLate(rows, claimer, Duration.ofNanos(ticks.getAsLong() - claimedAt.get()));
            return new Found(rows.size(), full, false);
        }
        List<ClaimedEvent> claimed = decodeClaimed(rows, new Lease(claimer, claimedAt.get()));
        int taken = handler instanceof LeasedPollerHandler leased ? leased.handle(claimed) : handEach(claimed);
        List<Settlement> releases = new ArrayList<>(claimed.size() - taken);
        claimed.subList(taken, claimed.size()).stream()
                .filter(event -> ordered || !event.suspect()) // a release would say that it was not being delivered
                .forEach(event ->
                        releases.add(new Settlement.Release(event.envelope().eventId(), event.attempts())));
        giveBack(releases, claimer);
        return new Found(rows.size(), full, releases.isEmpty());
    }

    /**
     * The database is slow or was frozen, or the network. This node counts leases from before the claim, so these would be over
     * soon, while they have just begun by the clock of the database: nobody would deliver these events until they end.
     */
    private void releaseLate(List<OutboxEvent> rows, String claimer, Duration answeredAfter) throws SQLException {
        List<Settlement> releases = new ArrayList<>(rows.size());
        rows.stream()
                .filter(row -> ordered || !row.suspect()) // see claimAndHandOver
                .forEach(row -> releases.add(new Settlement.Release(row.eventId(), row.attempts())));
        giveBack(releases, claimer);
        LOG.log(
                Level.WARNING,
                "a claim was answered after " + answeredAfter.toSeconds() + " s; its " + releases.size()
                        + " event(s) were released, and the next one asks for half as many");
    }

    /** An ordered claim leaves out blocked rows: half of what it may take is much. */
    private boolean isFull(PollSize.Limit limit, List<OutboxEvent> rows) {
        return limit.isReachedBy(ordered ? 2 * rows.size() : rows.size(), size.read(rows));
    }

    private List<ClaimedEvent> decodeClaimed(List<OutboxEvent> rows, Lease lease) throws SQLException {
        List<ClaimedEvent> claimed = new ArrayList<>(rows.size());
        List<Settlement> givenBack = new ArrayList<>(0);
        Set<List<String>> blocked = new HashSet<>(0);
        for (OutboxEvent row : rows) {
            EventEnvelope event = decode(
                    row,
                    later -> givenBack.add(new Settlement.Release(row.eventId(), row.attempts(), later.delay())),
                    e -> bury(row, lease.owner(), e));
            if (event == null) {
                blocked.add(keyOf(row));
            } else if (ordered && row.aggregateId() != null && blocked.contains(keyOf(row))) {
                givenBack.add(
                        new Settlement.Release(row.eventId(), row.attempts())); // behind one that stays in the table
            } else {
                claimed.add(new ClaimedEvent(event, row.attempts(), lease, row.formerLease()));
            }
        }
        giveBack(givenBack, lease.owner());
        return claimed;
    }

    private static List<String> keyOf(OutboxEvent row) {
        return List.of(String.valueOf(row.aggregateType()), String.valueOf(row.aggregateId()));
    }

    private int handEach(List<ClaimedEvent> claimed) {
        for (int i = 0; i < claimed.size(); i++) {
            if (!handler.handle(claimed.get(i).envelope(), claimed.get(i).attempts())) {
                return i;
            }
        }
        return claimed.size();
    }

    private List<OutboxEvent> claim(Connection conn, String claimer, Duration lease, PollSize.Limit limit) {
        if (store instanceof LeasingOutboxStore leasing) {
            ClaimRequest request = new ClaimRequest(claimer, lease, skipRecent, limit.rows(), limit.bytes());
            return ordered ? leasing.claimOrdered(conn, request) : leasing.claim(conn, request);
        }
        Instant now = clock.instant();
        return store.claimPending(conn, claimer, now, now.minus(lease), skipRecent, limit.rows());
    }

    private @Nullable EventEnvelope decode(
            OutboxEvent row, Consequence<RetryAfterException> notNow, Consequence<Throwable> burial)
            throws SQLException {
        try {
            return decoder.decode(row);
        } catch (RetryAfterException e) {
            LOG.log(
                    Level.WARNING,
                    "row " + row.eventId() + " of type " + row.eventType() + " cannot be opened now; it stays in the"
                            + " table and is read again in " + e.delay() + ": " + e.getMessage());
            notNow.of(e);
        } catch (OutOfMemoryError e) { // says nothing of the row
            size.tooMuch();
            LOG.log(Level.ERROR, "out of memory at row " + row.eventId() + "; it stays in the table", e);
            notNow.of(new RetryAfterException(OUT_OF_MEMORY_PAUSE, "out of memory", e));
        } catch (RuntimeException | Error e) { // a codec of the user's own may end in a stack overflow too
            LOG.log(
                    Level.ERROR,
                    "row " + row.eventId() + " of type " + row.eventType() + " cannot be decoded and becomes DEAD; the"
                            + " others go on",
                    e);
            burial.of(e);
            metrics.incrementDispatchDead();
            if (onDead != null) {
                onDead.run();
            }
            report(row, e);
        }
        return null;
    }

    private void report(OutboxEvent row, Throwable cause) {
        try {
            failureListener.failed(FailedDelivery.ofUnreadable(row, owner, cause));
        } catch (Throwable e) { // a listener of the user's own
            LOG.log(Level.WARNING, "failure listener failed at event " + row.eventId() + "; ignored", e);
        }
    }

    private interface Consequence<E extends Throwable> {
        void of(E cause) throws SQLException;
    }

    private void bury(OutboxEvent row, String claimer, Throwable cause) throws SQLException {
        String error = "undecodable row: " + cause;
        UnitOfWork.run(connections, conn -> {
            boolean written = store instanceof LeasingOutboxStore leasing
                    ? leasing.settle(conn, claimer, List.of(new Settlement.Dead(row.eventId(), row.attempts(), error)))
                            .isEmpty()
                    : store.markDead(conn, row.eventId(), error) > 0;
            return written && toBeAnnounced(conn, row);
        });
    }

    private void buryUnclaimed(OutboxEvent row, Throwable cause) throws SQLException {
        UnitOfWork.run(
                connections,
                conn -> store.markDead(conn, row.eventId(), "undecodable row: " + cause) > 0
                        && toBeAnnounced(conn, row));
    }

    private boolean toBeAnnounced(Connection conn, OutboxEvent dead) {
        if (onDead == null || !(store instanceof DeadLetterStore deadLetters)) {
            return false;
        }
        deadLetters.markUnannounced(conn, List.of(dead.eventId()));
        return true;
    }

    /** These cannot be handed over after all: others may have them now, or somebody later. */
    private void giveBack(List<Settlement> releases, String claimer) throws SQLException {
        if (!releases.isEmpty() && store instanceof LeasingOutboxStore leasing) {
            UnitOfWork.single(connections, conn -> leasing.settle(conn, claimer, releases));
        }
    }

    /** Stops polling; a poll under way ends first. */
    @Override
    public void close() {
        Loop running;
        synchronized (this) {
            closed = true;
            running = loop;
        }
        alarm.stop();
        if (running != null
                && !running.isCurrentThread()) { // a handler that closes is on that thread, and ends with it
            try {
                if (!running.awaitEnd(END_NANOS)) {
                    running.interrupt();
                }
            } catch (InterruptedException e) {
                running.interrupt();
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Collects the parts of a poller; not thread-safe. */
    public static final class Builder {
        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable OutboxStore outboxStore;
        private @Nullable OutboxPollerHandler handler;
        private Duration skipRecent = DEFAULT_SKIP_RECENT;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private long maxBatchBytes = Math.max(1, Runtime.getRuntime().maxMemory() / DEFAULT_HEAP_SHARE);
        private long intervalMs = DEFAULT_INTERVAL_MS;
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private FailureListener failureListener = FailureListener.NONE;
        private @Nullable Runnable onDead;
        private JsonCodec jsonCodec = JsonCodec.getDefault();
        private EventSeal seal = EventSeal.NONE;
        private @Nullable String ownerId;
        private @Nullable Duration leaseTime;
        private boolean ordered;
        private InstantSource clock = Ticks.systemClock();

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
        public Builder handler(OutboxPollerHandler handler) {
            this.handler = handler;
            return this;
        }

        /** Leaves rows alone that were created less than this ago; default: none. */
        public Builder skipRecent(Duration skipRecent) {
            if (skipRecent.isNegative()) {
                throw new IllegalArgumentException("skipRecent must not be negative: " + skipRecent);
            }
            this.skipRecent = skipRecent;
            return this;
        }

        /** How many rows to read at most; default {@value #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            if (batchSize <= 0) {
                throw new IllegalArgumentException("batchSize must be positive: " + batchSize);
            }
            this.batchSize = batchSize;
            return this;
        }

        /**
         * How many bytes of payloads and headers to read at most, but one row always; default: a thirty-second of the
         * largest heap. A driver and the events made of what it read hold that much several times for a moment.
         */
        public Builder maxBatchBytes(long maxBatchBytes) {
            if (maxBatchBytes <= 0) {
                throw new IllegalArgumentException("maxBatchBytes must be positive: " + maxBatchBytes);
            }
            this.maxBatchBytes = maxBatchBytes;
            return this;
        }

        /** How long to wait when there was nothing more to read; default {@value #DEFAULT_INTERVAL_MS}. */
        public Builder intervalMs(long intervalMs) {
            if (intervalMs <= 0) {
                throw new IllegalArgumentException("intervalMs must be positive: " + intervalMs);
            }
            this.intervalMs = intervalMs;
            return this;
        }

        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Told of rows that cannot be decoded and become DEAD; default: nobody. */
        public Builder failureListener(FailureListener failureListener) {
            this.failureListener = Objects.requireNonNull(failureListener, "failureListener");
            return this;
        }

        /** Reads the headers; default: the built-in one. */
        public Builder jsonCodec(JsonCodec jsonCodec) {
            this.jsonCodec = Objects.requireNonNull(jsonCodec, "jsonCodec");
            return this;
        }

        /** Opens what was read; default: rows are as they were written. */
        public Builder seal(EventSeal seal) {
            this.seal = Objects.requireNonNull(seal, "seal");
            return this;
        }

        /**
         * Claims rows before they are handed over, so that several nodes can share a table.
         *
         * @param ownerId the first part of what the column {@code locked_by} will hold; an incarnation is added
         * @param timeout after this time without renewal a lock counts as expired
         */
        public Builder claimLocking(String ownerId, Duration timeout) {
            this.ownerId = Objects.requireNonNull(ownerId, "ownerId");
            return claimLocking(timeout);
        }

        /** Claims in the name of the dispatcher behind the handler, or of this host and process. */
        public Builder claimLocking(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("timeout of claimLocking must be positive: " + timeout);
            }
            this.leaseTime = timeout;
            return this;
        }

        /** Claims the first events of each aggregate only, so that an ordered dispatcher can keep their order. */
        public Builder ordered(boolean ordered) {
            this.ordered = ordered;
            return this;
        }

        /**
         * Marks rows that cannot be decoded for a {@link outbox.dead.DeadLetterAnnouncer}; the store must implement
         * {@link DeadLetterStore}.
         *
         * @param onDead called after a row became DEAD here; must not block
         */
        public Builder announceDead(Runnable onDead) {
            this.onDead = Objects.requireNonNull(onDead, "onDead");
            return this;
        }

        /** Default: the system's. */
        public Builder clock(InstantSource clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        public OutboxPoller build() {
            return new OutboxPoller(this);
        }
    }
}
