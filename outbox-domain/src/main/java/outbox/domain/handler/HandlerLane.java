package outbox.domain.handler;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The queue in front of one handler and the calls that run. It keeps a slow handler from using up the threads of the
 * others. Thread-safe.
 *
 * <h2>When the queue is full</h2>
 *
 * The event is postponed, without counting an attempt, and goes back to the table while its other handlers go on. Each
 * postponed event gets a place in time behind the one before, as far apart as this handler needs for one: they come back
 * at the rate it works at, not all at once.
 */
final class HandlerLane {
    static final int ROOM = 128;
    private static final long FIRST_GUESS_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long SHORTEST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final Handler handler;
    private final HandlerRunner runner;
    private final Executor executor;
    private final LongSupplier ticks;
    private final int room;

    private final Queue<HandlerTask> waiting = new ArrayDeque<>(); // guarded by this
    private int running; // guarded by this
    private long nanosPerEvent = FIRST_GUESS_NANOS; // guarded by this
    private long nextPlaceAt; // guarded by this

    HandlerLane(Handler handler, HandlerRunner runner, Executor executor, LongSupplier ticks) {
        this.handler = handler;
        this.runner = runner;
        this.executor = executor;
        this.ticks = ticks;
        this.room = Math.max(ROOM, 2 * handler.concurrency() * handler.maxBatch());
        this.nextPlaceAt = ticks.getAsLong();
    }

    Handler handler() {
        return handler;
    }

    synchronized int waitingCount() {
        return waiting.size();
    }

    synchronized int runningCount() {
        return running;
    }

    CompletableFuture<HandlerResult> submit(HandlerTask task) {
        boolean start;
        synchronized (this) {
            if (waiting.size() >= room) {
                Duration delay = nextPlace();
                task.result()
                        .complete(new HandlerResult.Postponed(
                                delay,
                                "handler '" + handler.name() + "' is busy: " + running + " running, " + waiting.size()
                                        + " waiting",
                                null));
                return task.result();
            }
            waiting.add(task);
            start = running < handler.concurrency();
            if (start) {
                running++;
            }
        }
        if (start) {
            begin();
        }
        return task.result();
    }

    private void begin() {
        try {
            executor.execute(this::runUntilEmpty);
        } catch (RejectedExecutionException e) {
            List<HandlerTask> refused;
            synchronized (this) {
                running--;
                refused = new ArrayList<>(waiting);
                waiting.clear();
            }
            refused.forEach(task -> task.result()
                    .complete(new HandlerResult.Postponed(
                            Duration.ZERO, "handler '" + handler.name() + "' takes no more calls: closed", e)));
        }
    }

    private void runUntilEmpty() {
        while (true) {
            List<HandlerTask> tasks;
            synchronized (this) {
                tasks = take();
                if (tasks.isEmpty()) {
                    running--;
                    return;
                }
            }
            long start = ticks.getAsLong();
            try {
                runner.run(tasks);
            } catch (RuntimeException | Error e) { // the runner answers for the handler; this is its own failure
                tasks.forEach(task -> task.result().completeExceptionally(e));
            }
            measured((ticks.getAsLong() - start) / tasks.size());
        }
    }

    private List<HandlerTask> take() {
        List<HandlerTask> tasks = new ArrayList<>();
        while (tasks.size() < handler.maxBatch() && !waiting.isEmpty()) {
            tasks.add(waiting.remove());
        }
        return tasks;
    }

    private synchronized void measured(long nanos) {
        nanosPerEvent += (nanos - nanosPerEvent) / 5;
    }

    private Duration nextPlace() {
        long now = ticks.getAsLong();
        long perEvent = Math.max(1, nanosPerEvent / handler.concurrency());
        long queueEndsAt = now + Math.max(SHORTEST_NANOS, perEvent * waiting.size());
        nextPlaceAt = Math.max(nextPlaceAt + perEvent, queueEndsAt);
        return Duration.ofNanos(Math.min(LONGEST_NANOS, nextPlaceAt - now));
    }
}
