package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;

/**
 * Writes the outcomes of deliveries to their rows, in batches that form themselves: what finishes while one batch is
 * being written is the next one. An idle system writes a single outcome at once; a busy one waits a few milliseconds
 * for a larger batch.
 *
 * <h2>When the database fails</h2>
 *
 * A batch that can not be written is tried again until it works or its leases are over; meanwhile workers wait in
 * {@link #awaitRoom()}, so nothing piles up. If only some outcome in a batch is refused, or an {@link Error} strikes,
 * the batch is written one by one and the one that does not get through is left to its lease: the event is delivered
 * again later.
 */
final class Settler {
    private static final Logger LOG = System.getLogger(Settler.class.getName());
    static final int MAX_BATCH = 1000;
    private static final int ROOM = 2 * MAX_BATCH;
    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 1000;
    /** A batch of this size is worth a transaction under load. */
    private static final int WORTHWHILE_BATCH = 100;
    /** From how many outcomes in one batch on there is a load. */
    private static final int BUSY_BATCH = 4;

    private static final long BUSY_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ConnectionProvider connections;
    private final OutboxStore store;
    private final MetricsExporter metrics;
    private final InstantSource clock;
    private final HeldEvents held;
    private final Consumer<Outcome> afterwards;
    private final Consumer<Outcome> abandoned;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Condition pauseOver = lock.newCondition(); // never signalled: only its timeout counts
    private List<Outcome> waiting = new ArrayList<>(); // guarded by lock
    private boolean closed; // guarded by lock

    private int failuresInARow; // only the settling thread
    private boolean busy; // only the settling thread
    private long lastTakenAt; // only the settling thread
    private volatile boolean failing;

    /** Told of every outcome; set before the first one comes. */
    private Runnable onSubmit = () -> {};

    /**
     * @param afterwards told of every outcome that needs no more care, written or lost
     * @param abandoned told of every outcome that can not be written, while its lease stands
     */
    Settler(
            ConnectionProvider connections,
            OutboxStore store,
            MetricsExporter metrics,
            InstantSource clock,
            HeldEvents held,
            Consumer<Outcome> afterwards,
            Consumer<Outcome> abandoned) {
        this.connections = connections;
        this.store = store;
        this.metrics = metrics;
        this.clock = clock;
        this.held = held;
        this.afterwards = afterwards;
        this.abandoned = abandoned;
    }

    void onSubmit(Runnable onSubmit) {
        this.onSubmit = onSubmit;
    }

    /** Whether outcomes of the last batch must be tried again. */
    boolean isFailing() {
        return failing;
    }

    /** Whether there is room for the outcome of one more event. */
    boolean hasRoom() {
        return waiting() < ROOM;
    }

    /** How many outcomes wait to be written. */
    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /** Never blocks. */
    void submit(Outcome outcome) {
        lock.lock();
        try {
            waiting.add(outcome);
            if (waiting.size() == 1 || waiting.size() == WORTHWHILE_BATCH) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        onSubmit.run();
    }

    /** Waits while too many outcomes are unwritten: a worker asks before it takes the next event. */
    void awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.size() >= ROOM && !closed) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The settling thread's turn: waits for outcomes and writes them. */
    boolean step() throws InterruptedException {
        List<Outcome> batch;
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty() && !closed) {
                changed.await();
            }
            if (waiting.isEmpty()) {
                return false;
            }
            linger();
            batch = takeBatch();
            busy = batch.size() >= BUSY_BATCH;
            lastTakenAt = System.nanoTime();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        write(batch);
        return true;
    }

    private List<Outcome> takeBatch() {
        List<Outcome> taken = waiting;
        if (taken.size() <= MAX_BATCH) {
            waiting = new ArrayList<>();
            return taken;
        }
        waiting = new ArrayList<>(taken.subList(MAX_BATCH, taken.size()));
        return taken.subList(0, MAX_BATCH);
    }

    /**
     * Under load small batches follow each other closely; a moment between them saves the database most of these
     * transactions. What comes after a pause is written at once.
     */
    private void linger() throws InterruptedException {
        long left = BUSY_INTERVAL_NANOS - (System.nanoTime() - lastTakenAt);
        while (busy && waiting.size() < WORTHWHILE_BATCH && !closed && left > 0) {
            left = changed.awaitNanos(left);
        }
    }

    /** Lets the settling thread end when all that was submitted is written. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Writes what waits, on the caller's thread: for the deterministic form without threads. */
    boolean writeWaiting() {
        List<Outcome> batch;
        lock.lock();
        try {
            batch = waiting;
            waiting = new ArrayList<>();
        } finally {
            lock.unlock();
        }
        if (batch.isEmpty()) {
            return false;
        }
        List<Outcome> left = batch;
        try {
            left = tryWrite(batch);
        } finally {
            putBack(left);
        }
        return true;
    }

    private void putBack(List<Outcome> left) {
        if (left.isEmpty()) {
            return;
        }
        lock.lock();
        try {
            waiting.addAll(0, left);
        } finally {
            lock.unlock();
        }
    }

    private void write(List<Outcome> batch) throws InterruptedException {
        List<Outcome> left = batch;
        try {
            left = tryWrite(batch);
            while (!left.isEmpty()) {
                pause();
                left = stillOurs(left);
                left = tryWrite(left);
            }
        } finally {
            putBack(left); // what an interrupt or an Error kept from being written
        }
    }

    private List<Outcome> stillOurs(List<Outcome> outcomes) {
        List<Outcome> ours = new ArrayList<>(outcomes.size());
        for (Outcome outcome : outcomes) {
            if (outcome.delivery().isLeaseLost()) {
                told(outcome, this::lost);
            } else {
                ours.add(outcome);
            }
        }
        return ours;
    }

    private void pause() throws InterruptedException {
        long millis = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(10, failuresInARow));
        lock.lockInterruptibly();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (left > 0) {
                left = pauseOver.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * An outcome that came too late: its lease had run out, and this node claimed the row anew. The fence would let it
     * pass, since the owner is the same, and end the new lease. Only success is worth that: it is true anyhow.
     */
    private boolean isSuperseded(Outcome outcome) {
        return !outcome.isSuccess() && !held.contains(outcome.delivery());
    }

    /** @return what could not be written now and must be tried again */
    private List<Outcome> tryWrite(List<Outcome> outcomes) {
        List<Outcome> batch = new ArrayList<>(outcomes.size());
        for (Outcome outcome : outcomes) {
            if (isSuperseded(outcome)) {
                told(outcome, afterwards);
            } else {
                batch.add(outcome);
            }
        }
        if (batch.isEmpty()) {
            return List.of();
        }
        Set<String> lost;
        try {
            lost = settle(batch);
        } catch (Throwable e) { // an Error must not leave the batch behind, held for ever
            failuresInARow++;
            List<Outcome> left;
            try {
                left = failed(batch, e);
            } catch (Throwable worse) { // no memory even to tell
                left = batch.stream()
                        .filter(outcome -> held.contains(outcome.delivery()))
                        .toList();
            }
            failing = !left.isEmpty();
            return left;
        }
        failuresInARow = 0;
        failing = false;
        metrics.recordSettlementSize(batch.size());
        for (Outcome outcome : batch) {
            boolean isLost = lost.contains(outcome.delivery().eventId());
            told(outcome, isLost ? this::lost : this::written);
        }
        return List.of();
    }

    private static void told(Outcome outcome, Consumer<Outcome> listener) {
        try {
            listener.accept(outcome);
        } catch (Throwable e) { // the others must hear of it all the same
            LOG.log(
                    Level.ERROR,
                    "after the outcome of event " + outcome.delivery().eventId() + " was written",
                    e);
        }
    }

    /** @return what must be tried again */
    private List<Outcome> failed(List<Outcome> batch, Throwable failure) {
        if (!(failure instanceof Error) && !isRefusal(failure)) {
            LOG.log(
                    Level.ERROR,
                    "could not write the outcome of " + batch.size() + " event(s), first "
                            + batch.get(0).delivery().eventId() + "; tried again",
                    failure);
            return batch;
        }
        if (batch.size() == 1) {
            Outcome refused = batch.get(0);
            LOG.log(
                    Level.ERROR,
                    "the outcome of event " + refused.delivery().eventId()
                            + " can not be written; it is delivered again when its lease is over",
                    failure);
            abandoned.accept(refused);
            return List.of();
        }
        List<Outcome> left = new ArrayList<>();
        for (Outcome outcome : batch) {
            left.addAll(tryWrite(List.of(outcome)));
        }
        return left;
    }

    private Set<String> settle(List<Outcome> batch) throws SQLException {
        Map<String, List<Settlement>> byOwner = new HashMap<>();
        List<Settlement> unfenced = new ArrayList<>();
        for (Outcome outcome : batch) {
            String owner = outcome.delivery().owner();
            List<Settlement> group =
                    owner == null ? unfenced : byOwner.computeIfAbsent(owner, o -> new ArrayList<>(batch.size()));
            group.add(outcome.settlement());
        }
        if (unfenced.isEmpty() && byOwner.size() == 1) { // nearly always
            Map.Entry<String, List<Settlement>> only =
                    byOwner.entrySet().iterator().next();
            return UnitOfWork.single(connections, conn -> leasing().settle(conn, only.getKey(), only.getValue()));
        }
        return UnitOfWork.run(connections, conn -> {
            unfenced.forEach(settlement -> markUnfenced(conn, settlement));
            Set<String> lost = new HashSet<>();
            byOwner.forEach((owner, settlements) -> lost.addAll(leasing().settle(conn, owner, settlements)));
            return lost;
        });
    }

    private LeasingOutboxStore leasing() {
        return (LeasingOutboxStore) store; // only such a store's rows have an owner
    }

    /** For events nobody leased: the specification's marks, row by row. */
    private void markUnfenced(Connection conn, Settlement settlement) {
        if (settlement instanceof Settlement.Retry retry) {
            store.markRetry(conn, retry.eventId(), clock.instant().plus(retry.delay()), retry.error());
        } else if (settlement instanceof Settlement.Dead dead) {
            store.markDead(conn, dead.eventId(), dead.error());
        } else if (!(settlement instanceof Settlement.Release)) {
            store.markDone(conn, settlement.eventId());
        }
    }

    private void written(Outcome outcome) {
        Settlement settlement = outcome.settlement();
        if (outcome.isSuccess()) {
            metrics.incrementDispatchSuccess();
        } else if (settlement instanceof Settlement.Retry) {
            metrics.incrementDispatchFailure();
        } else if (settlement instanceof Settlement.Dead dead) {
            metrics.incrementDispatchDead();
            LOG.log(
                    Level.ERROR,
                    "event " + outcome.delivery().envelope() + " is DEAD after attempt "
                            + (outcome.delivery().attempts() + 1) + ": " + firstLine(dead.error())
                            + "; it stays in the table, replay it when the cause is gone");
        }
        afterwards.accept(outcome);
    }

    private static String firstLine(String error) {
        int end = error.indexOf('\n');
        return end < 0 ? error : error.substring(0, end);
    }

    private void lost(Outcome outcome) {
        if (!(outcome.settlement() instanceof Settlement.Release)) { // it was to be given away anyhow
            metrics.incrementLeasesLost(1);
            LOG.log(
                    Level.WARNING,
                    "lease of event " + outcome.delivery().eventId() + " was lost before its outcome could be written; "
                            + "its new owner decides");
        }
        afterwards.accept(outcome);
    }

    /** Whether the database understood and said no (bad data), rather than being away or busy. */
    private static boolean isRefusal(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState().startsWith("22") || sql.getSQLState().startsWith("23");
            }
        }
        return false;
    }
}
