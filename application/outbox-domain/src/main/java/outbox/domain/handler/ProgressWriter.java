package outbox.domain.handler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stores outcomes in batches: outcomes that arrive while one batch is being stored form the next one. Handlers do not
 * wait for this, but their events do. Thread-safe.
 */
final class ProgressWriter {
    static final int MAX_BATCH = 500;
    private static final int ROOM = 2 * MAX_BATCH;
    private static final int TRIES = 2;
    /** After this many consecutive failures of single outcomes the tracker is considered unavailable. */
    private static final int FAILURES_TO_STOP = 2;

    private final EventConsumptionTracker tracker;
    private final Executor executor;
    private final Outage outage;

    private List<Entry> waiting = new ArrayList<>(); // guarded by this
    private boolean writing; // guarded by this
    private final Refusals refusals = new Refusals();

    /** An outcome and its callbacks. */
    private record Entry(HandlerOutcome outcome, Runnable stored, Consumer<Throwable> failed) {}

    ProgressWriter(EventConsumptionTracker tracker, Executor executor, Outage outage) {
        this.tracker = tracker;
        this.executor = executor;
        this.outage = outage;
    }

    /** Never blocks; one of the two callbacks is called, possibly twice. */
    void write(HandlerOutcome outcome, Runnable stored, Consumer<Throwable> failed) {
        synchronized (this) {
            waiting.add(new Entry(outcome, stored, failed));
            if (writing) {
                return;
            }
            writing = true;
        }
        try {
            executor.execute(this::writeAll);
        } catch (RuntimeException | Error e) { // closing, or no thread available: stored on this thread
            writeAll();
        }
    }

    /**
     * Stores one outcome on the caller's thread.
     *
     * @throws RuntimeException if the tracker fails
     */
    void writeNow(HandlerOutcome outcome) {
        try {
            tracker.record(List.of(outcome));
        } catch (RuntimeException e) {
            refusals.refused(outcome);
            throw e;
        }
        outage.worked();
        refusals.stored(List.of(outcome));
    }

    /** Stores one outcome on a separate thread: the row may be locked by a hung transaction. */
    void writeApart(HandlerOutcome outcome) {
        try {
            executor.execute(() -> {
                Throwable failure = tryStore(List.of(new Entry(outcome, () -> {}, ignored -> {})));
                if (failure != null) {
                    outage.failed("outcome of handler '" + outcome.handler() + "' could not be stored", failure);
                }
            });
        } catch (RuntimeException | Error e) { // closing, or no thread available
            outage.failed("outcome of handler '" + outcome.handler() + "' could not be stored", e);
        }
    }

    /** How often the tracker did not take an outcome of this handler at this event, and took others afterwards. */
    int refusals(String eventId, String handler) {
        return refusals.of(eventId, handler);
    }

    /** Waits while too many outcomes are not stored; called before further calls are started. */
    synchronized void awaitRoom() throws InterruptedException {
        while (waiting.size() >= ROOM) {
            wait();
        }
    }

    private void writeAll() {
        while (true) {
            List<Entry> batch;
            synchronized (this) {
                if (waiting.isEmpty()) {
                    writing = false;
                    return;
                }
                int size = Math.min(MAX_BATCH, waiting.size());
                batch = List.copyOf(waiting.subList(0, size));
                waiting = new ArrayList<>(waiting.subList(size, waiting.size()));
                notifyAll();
            }
            try {
                store(batch);
            } catch (Throwable e) { // out of memory, for instance; callbacks tolerate a second call
                batch.forEach(entry -> entry.failed().accept(e));
            }
        }
    }

    private void store(List<Entry> batch) {
        Throwable failure = null;
        for (int tries = 0; tries < TRIES; tries++) {
            failure = tryStore(batch);
            if (failure == null) {
                return;
            }
        }
        if (failure != null) {
            storeOneByOne(batch, failure);
        }
    }

    private void storeOneByOne(List<Entry> batch, Throwable first) {
        Throwable failure = first;
        int failuresInARow = batch.size() == 1 ? FAILURES_TO_STOP : 0;
        if (batch.size() == 1) {
            refusals.refused(batch.get(0).outcome());
        }
        for (Entry entry : batch) {
            if (failuresInARow < FAILURES_TO_STOP) {
                Throwable own = tryStore(List.of(entry));
                failuresInARow = own == null ? 0 : failuresInARow + 1;
                if (own == null) {
                    continue;
                }
                refusals.refused(entry.outcome());
                failure = own;
            }
            entry.failed().accept(failure);
        }
    }

    private @Nullable Throwable tryStore(List<Entry> batch) {
        try {
            tracker.record(batch.stream().map(Entry::outcome).toList());
        } catch (Throwable e) { // Errors too: the next batch would wait forever
            return e;
        }
        outage.worked();
        refusals.stored(batch.stream().map(Entry::outcome).toList());
        batch.forEach(entry -> entry.stored().run());
        return null;
    }
}
