package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import outbox.spi.MetricsExporter;
import outbox.spi.Settlement;
import outbox.util.FailureLog;

/**
 * Writes the outcomes of deliveries to their rows, in batches that form themselves: what finishes while one batch is
 * being written is the next one. An idle system writes a single outcome at once; a busy one waits a few milliseconds
 * for a larger batch.
 *
 * <h2>When a batch fails</h2>
 *
 * Without a connection it is tried again until there is one or the leases are over; meanwhile workers wait in
 * {@link #awaitRoom()}, so nothing piles up. Otherwise something in the batch may be the reason, whatever the database says
 * about it: rows that somebody else has locked are set aside, and the rest is written in halves until what fails is alone.
 * Those are left to {@link RefusedOutcomes}; all others are written.
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

    /** So many outcomes in a row fail alone, and none was written: then it is hardly because of them. */
    private static final int FAILED_ALONE_AT_MOST = 16;

    private final OutcomeWriter writer;
    private final RefusedOutcomes refused;
    private final MetricsExporter metrics;
    private final FailureLog failures;
    private final InFlightEvents inFlight;
    private final Consumer<Outcome> afterwards;
    private final Consumer<Outcome> lost;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Condition pauseOver = lock.newCondition(); // never signalled: only its timeout counts
    private List<Outcome> waiting = new ArrayList<>(); // guarded by lock
    private boolean closed; // guarded by lock

    private int failuresInARow; // only the settling thread
    private boolean busy; // only the settling thread
    private long lastTakenAt; // only the settling thread
    private volatile boolean failing;

    /**
     * @param afterwards told of every outcome that was written
     * @param lost told of every outcome that was not written because the row has a new lease
     * @param abandoned told of every outcome that cannot be written, while its lease stands
     * @param kept told of every outcome the database refuses in every form, which is tried again at long intervals
     * @param asFailure decides what becomes of an event whose success the database refuses to write
     */
    Settler(
            OutcomeWriter writer,
            MetricsExporter metrics,
            LongSupplier ticks,
            InFlightEvents inFlight,
            Consumer<Outcome> afterwards,
            Consumer<Outcome> lost,
            Consumer<Outcome> abandoned,
            Consumer<Outcome> kept,
            BiFunction<Outcome, Throwable, Settlement> asFailure) {
        this.writer = writer;
        this.metrics = metrics;
        this.failures = new FailureLog(LOG, Level.ERROR, "writing outcomes", ticks);
        this.inFlight = inFlight;
        this.afterwards = afterwards;
        this.lost = lost;
        this.refused = new RefusedOutcomes(writer, ticks, asFailure, new RefusedOutcomes.End() {
            @Override
            public void settled(Outcome outcome, boolean isLost) {
                finish(outcome, isLost ? Settler.this::lost : Settler.this::written);
            }

            @Override
            public void abandoned(Outcome outcome) {
                finish(outcome, abandoned);
            }

            @Override
            public void kept(Outcome outcome) {
                finish(outcome, kept);
            }
        });
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

    /** The settling thread's turn: waits for outcomes and writes them. */
    boolean step() throws InterruptedException {
        List<Outcome> batch;
        lock.lockInterruptibly();
        try {
            long toNextTry = refused.nanosToNextTry();
            while (waiting.isEmpty() && toNextTry > 0 && !(closed && refused.unsettled() == 0)) {
                if (toNextTry == Long.MAX_VALUE) {
                    changed.await();
                } else {
                    toNextTry = changed.awaitNanos(toNextTry);
                }
            }
            if (waiting.isEmpty() && closed && refused.unsettled() == 0) {
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
        tryRefused();
        return true;
    }

    private void tryRefused() {
        int before = refused.unsettled();
        refused.tryDue();
        if (before >= ROOM - MAX_BATCH && refused.unsettled() < before) {
            lock.lock();
            try {
                changed.signalAll(); // workers may wait for room
            } finally {
                lock.unlock();
            }
        }
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
        if (batch.isEmpty() && refused.nanosToNextTry() > 0) {
            return false;
        }
        List<Outcome> left = batch;
        try {
            left = tryWrite(batch);
        } finally {
            putBack(left);
        }
        refused.tryDue();
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
                finish(outcome, this::lost);
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
        return !outcome.isSuccess() && !inFlight.contains(outcome.delivery());
    }

    /** @return what could not be written now and must be tried again */
    private List<Outcome> tryWrite(List<Outcome> outcomes) {
        List<Outcome> batch = new ArrayList<>(outcomes.size());
        for (Outcome outcome : outcomes) {
            if (isSuperseded(outcome)) {
                finish(outcome, lost);
            } else {
                batch.add(outcome);
            }
        }
        if (batch.isEmpty()) {
            return List.of();
        }
        Set<String> lost;
        try {
            lost = writer.write(batch);
        } catch (Throwable e) { // an Error must not leave the batch behind, held for ever
            failuresInARow++;
            List<Outcome> left;
            try {
                left = failed(batch, e);
            } catch (Throwable worse) { // no memory even to report it
                left = batch.stream()
                        .filter(outcome -> inFlight.contains(outcome.delivery()))
                        .toList();
            }
            failing = !left.isEmpty();
            return left;
        }
        failuresInARow = 0;
        failing = false;
        failures.succeeded();
        finish(batch, lost);
        return List.of();
    }

    private void finish(List<Outcome> batch, Set<String> lost) {
        refused.otherWritten();
        metrics.recordSettlementSize(batch.size());
        for (Outcome outcome : batch) {
            boolean isLost = lost.contains(outcome.delivery().eventId());
            finish(outcome, isLost ? this::lost : this::written);
        }
    }

    private static void finish(Outcome outcome, Consumer<Outcome> listener) {
        try {
            listener.accept(outcome);
        } catch (Throwable e) { // the others must hear of it all the same
            LOG.log(
                    Level.ERROR,
                    "callback failed after settling event " + outcome.delivery().eventId()
                            + "; the outcome is stored, continuing",
                    e);
        }
    }

    /** @return what must be tried again together */
    private List<Outcome> failed(List<Outcome> batch, Throwable failure) {
        if (failure instanceof OutcomeWriter.NoConnectionException) {
            logFailed(batch, failure);
            return batch;
        }
        if (batch.size() == 1) {
            refused.add(batch.get(0), false);
            return List.of();
        }
        return new Separation(failure).separate(batch);
    }

    private void logFailed(List<Outcome> batch, Throwable failure) {
        failures.failed(
                "could not write the outcome of " + batch.size() + " event(s), first "
                        + batch.get(0).delivery().eventId() + "; tried again",
                failure);
    }

    /** Finds what keeps a batch from being written, and writes the rest. */
    private final class Separation {
        private final List<Outcome> failedAlone = new ArrayList<>();
        private final List<Outcome> left = new ArrayList<>();
        private Throwable failure;
        private boolean anyWritten;
        private boolean over;

        Separation(Throwable failure) {
            this.failure = failure;
        }

        List<Outcome> separate(List<Outcome> batch) {
            List<Outcome> unlocked = setLockedAside(batch);
            if (unlocked.size() < batch.size()) {
                write(unlocked);
            } else {
                writeHalves(unlocked);
            }
            if (over && !anyWritten) {
                left.addAll(0, failedAlone); // in another order, so that others come first the next time
                Collections.rotate(left, -failedAlone.size());
                logFailed(left, failure);
                return left;
            }
            failedAlone.forEach(outcome -> refused.add(outcome, false));
            if (!left.isEmpty()) {
                logFailed(left, failure);
            }
            return left;
        }

        private List<Outcome> setLockedAside(List<Outcome> batch) {
            Set<String> locked;
            try {
                locked = writer.locked(batch);
            } catch (Throwable e) {
                return batch; // it is told by writing
            }
            List<Outcome> unlocked = new ArrayList<>(batch.size());
            for (Outcome outcome : batch) {
                if (locked.contains(outcome.delivery().eventId())) {
                    refused.add(outcome, true);
                } else {
                    unlocked.add(outcome);
                }
            }
            return unlocked;
        }

        private void writeHalves(List<Outcome> batch) {
            int middle = batch.size() / 2;
            write(batch.subList(0, middle));
            write(batch.subList(middle, batch.size()));
        }

        private void write(List<Outcome> batch) {
            if (batch.isEmpty()) {
                return;
            }
            if (over) {
                left.addAll(batch);
                return;
            }
            Set<String> lost;
            try {
                lost = writer.write(batch);
            } catch (Throwable e) { // as in tryWrite
                failure = e;
                failed(batch);
                return;
            }
            anyWritten = true;
            finish(batch, lost);
        }

        private void failed(List<Outcome> batch) {
            if (failure instanceof OutcomeWriter.NoConnectionException) {
                over = true;
                left.addAll(batch);
            } else if (batch.size() > 1) {
                writeHalves(batch);
            } else {
                failedAlone.add(batch.get(0));
                anyWritten = anyWritten || writer.canWriteOtherwise(batch.get(0).delivery());
                over = !anyWritten && failedAlone.size() >= FAILED_ALONE_AT_MOST;
            }
        }
    }

    private void written(Outcome outcome) {
        outcome.settlement()
                .accept(
                        done -> metrics.incrementDispatchSuccess(),
                        delete -> metrics.incrementDispatchSuccess(),
                        retry -> metrics.incrementDispatchFailure(),
                        dead -> died(outcome.delivery(), dead),
                        release -> {});
        afterwards.accept(outcome);
    }

    private void died(Delivery delivery, Settlement.Dead dead) {
        metrics.incrementDispatchDead();
        LOG.log(
                Level.ERROR,
                "event " + delivery.envelope() + " is DEAD after attempt " + dead.attempts() + ": "
                        + firstLine(dead.error()) + "; it stays in the table, replay it when the cause is gone");
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
        lost.accept(outcome);
    }
}
