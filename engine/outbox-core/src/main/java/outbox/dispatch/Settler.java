package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import outbox.dispatch.Settled.Result;
import outbox.spi.MetricsExporter;
import outbox.util.FailureLog;

/**
 * Writes the outcomes of deliveries to their rows, in batches that form themselves: what finishes while one batch is
 * being written is the next one. An idle system writes a single outcome at once; a busy one waits a few milliseconds
 * for a larger batch. Whoever calls {@link #write()} gets back what became of each outcome.
 *
 * <h2>When a batch fails</h2>
 *
 * Without a connection it is tried again until there is one or the leases are over; meanwhile workers wait in
 * {@link #awaitRoom()}, so nothing piles up. Otherwise something in the batch may be the reason, whatever the database says
 * about it: {@link Separation} finds it and writes the rest. What failed alone is left to {@link RefusedOutcomes}.
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

    private final OutcomeWriter writer;
    private final RefusedOutcomes refused;
    private final MetricsExporter metrics;
    private final FailureLog failures;
    private final InFlightEvents inFlight;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Condition pauseOver = lock.newCondition(); // never signalled: only its timeout counts
    private List<Outcome> waiting = new ArrayList<>(); // guarded by lock
    private boolean closed; // guarded by lock

    private int failuresInARow; // only the settling thread
    private boolean busy; // only the settling thread
    private long lastTakenAt; // only the settling thread
    private volatile boolean failing;

    Settler(OutcomeWriter writer, MetricsExporter metrics, LongSupplier ticks, InFlightEvents inFlight) {
        this.writer = writer;
        this.metrics = metrics;
        this.failures = new FailureLog(LOG, Level.ERROR, "writing outcomes", ticks);
        this.inFlight = inFlight;
        this.refused = new RefusedOutcomes(writer, ticks);
    }

    /** Whether outcomes of the last batch must be tried again. */
    boolean isFailing() {
        return failing;
    }

    /** Whether there is room for the outcome of one more event. */
    boolean hasRoom() {
        return waiting() + refused.unsettled() < ROOM;
    }

    /** What the database refused, and what becomes of it. */
    RefusedOutcomes refused() {
        return refused;
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
    }

    /** Waits while too many outcomes are unwritten: a worker asks before it takes the next event. */
    void awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.size() + refused.unsettled() >= ROOM && !closed) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is something to write. @return {@code false} when nothing more comes */
    boolean awaitOutcomes() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (failing) {
                pause();
            }
            long toNextTry = refused.nanosToNextTry();
            while (waiting.isEmpty() && toNextTry > 0 && !(closed && refused.unsettled() == 0)) {
                if (toNextTry == Long.MAX_VALUE) {
                    changed.await();
                } else {
                    toNextTry = changed.awaitNanos(toNextTry);
                }
            }
            linger();
            return !waiting.isEmpty() || !closed || refused.unsettled() > 0;
        } finally {
            lock.unlock();
        }
    }

    private void pause() throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(
                Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(10, failuresInARow)));
        while (left > 0) {
            left = pauseOver.awaitNanos(left);
        }
    }

    /**
     * Under load small batches follow each other closely; a moment between them saves the database most of these
     * transactions. What comes after a pause is written at once.
     */
    private void linger() throws InterruptedException {
        long left = BUSY_INTERVAL_NANOS - (System.nanoTime() - lastTakenAt);
        while (busy && !waiting.isEmpty() && waiting.size() < WORTHWHILE_BATCH && !closed && left > 0) {
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

    /** Writes one batch of what waits; what cannot be written now waits on. One call at a time. */
    List<Settled> write() {
        List<Outcome> batch = takeBatch();
        List<Settled> results = new ArrayList<>(batch.size());
        List<Outcome> left = batch;
        try {
            left = write(batch, results);
        } finally {
            putBack(left);
        }
        return results;
    }

    /** Tries again what failed alone and is due. One call at a time. */
    List<Settled> tryRefused() {
        int before = refused.unsettled();
        List<Settled> results = refused.tryDue();
        if (before >= ROOM - MAX_BATCH && refused.unsettled() < before) {
            lock.lock();
            try {
                changed.signalAll(); // workers may wait for room
            } finally {
                lock.unlock();
            }
        }
        return results;
    }

    private List<Outcome> takeBatch() {
        lock.lock();
        try {
            List<Outcome> taken = waiting;
            if (taken.size() <= MAX_BATCH) {
                waiting = new ArrayList<>();
            } else {
                waiting = new ArrayList<>(taken.subList(MAX_BATCH, taken.size()));
                taken = taken.subList(0, MAX_BATCH);
            }
            busy = taken.size() >= BUSY_BATCH;
            lastTakenAt = System.nanoTime();
            changed.signalAll(); // workers may wait for room
            return taken;
        } finally {
            lock.unlock();
        }
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

    /** @return what could not be written now and must be tried again */
    private List<Outcome> write(List<Outcome> outcomes, List<Settled> results) {
        List<Outcome> batch = new ArrayList<>(outcomes.size());
        for (Outcome outcome : outcomes) {
            if (isSuperseded(outcome)) {
                results.add(new Settled(outcome, Result.SUPERSEDED));
            } else if (failing && outcome.delivery().isLeaseLost()) {
                results.add(new Settled(outcome, Result.LOST));
            } else {
                batch.add(outcome);
            }
        }
        if (batch.isEmpty()) {
            failing = false;
            return List.of();
        }
        Set<String> lost;
        try {
            lost = writer.write(batch);
        } catch (Throwable e) { // an Error must not leave the batch behind, leased for ever
            failuresInARow++;
            failing = true;
            List<Outcome> left = failed(batch, e, results);
            failing = !left.isEmpty();
            return left;
        }
        failuresInARow = 0;
        failing = false;
        failures.succeeded();
        written(batch, lost, results);
        return List.of();
    }

    /**
     * An outcome that came too late: its lease had run out, and this node claimed the row anew. The fence would let it
     * pass, since the owner is the same, and end the new lease. Only success is worth that: it is true anyhow.
     */
    private boolean isSuperseded(Outcome outcome) {
        return !outcome.isSuccess() && !inFlight.contains(outcome.delivery());
    }

    /** @param lost ids of events whose lease was lost */
    private void written(List<Outcome> batch, Set<String> lost, List<Settled> results) {
        refused.otherWritten();
        metrics.recordSettlementSize(batch.size());
        for (Outcome outcome : batch) {
            boolean isLost = lost.contains(outcome.delivery().eventId());
            results.add(new Settled(outcome, isLost ? Result.LOST : Result.WRITTEN));
        }
    }

    /** @return what must be tried again together */
    private List<Outcome> failed(List<Outcome> batch, Throwable failure, List<Settled> results) {
        if (batch.size() == 1 && !(failure instanceof OutcomeWriter.NoConnectionException)) {
            refused.add(batch.get(0));
            return List.of();
        }
        List<Outcome> left = batch;
        Throwable last = failure;
        if (!(failure instanceof OutcomeWriter.NoConnectionException)) {
            Separation separation = new Separation(writer, failure);
            separation.separate(batch);
            separation.written().forEach(part -> written(part.batch(), part.lost(), results));
            separation.locked().forEach(refused::addLocked);
            separation.failedAlone().forEach(refused::add);
            left = separation.left();
            last = separation.lastFailure();
        }
        if (!left.isEmpty()) {
            failures.failed(
                    "could not write the outcome of " + left.size() + " event(s), first "
                            + left.get(0).delivery().eventId() + "; tried again",
                    last);
        }
        return left;
    }
}
