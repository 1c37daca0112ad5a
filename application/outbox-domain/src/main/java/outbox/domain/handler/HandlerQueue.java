package outbox.domain.handler;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import outbox.DeliveryTimeoutException;
import outbox.domain.handler.HandlerResult.Postponed;
import outbox.listener.CallRules;
import outbox.listener.RunningCalls;
import outbox.spi.BreakerState;

/**
 * The queue of one handler and its running calls. It prevents a slow handler from using up the threads of the others:
 * each call has a thread, except for asynchronous handlers, which need one for all calls. Thread-safe.
 *
 * <h2>When the queue is full</h2>
 *
 * For a fast handler, the dispatcher waits a moment for space in the queue: this is the back pressure. For a slow one,
 * waiting would delay events of other types, so the event is released without counting an attempt, while its other
 * handlers continue. Released events become due one after the other, spaced by the handler's measured time per event,
 * so that they return at the rate the handler works at. The measurement improves the longer the handler is busy; no
 * event is delayed by more than twice that time.
 *
 * <h2>When the handler is paused or its circuit breaker is open</h2>
 *
 * No event is accepted, and waiting events are released too: otherwise their attempts would be used up.
 */
final class HandlerQueue {
    static final int ROOM = 128;
    /** A handler faster than this is worth waiting for. */
    static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long FIRST_GUESS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration WITHOUT_THREAD = Duration.ofSeconds(1);
    private static final long LONGEST_WAIT_MILLIS = 50;
    private static final long SHORTEST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final Handler handler;
    private final HandlerRunner runner;
    private final CallRules rules;
    private final ProgressWriter outcomes;
    private final Executor executor;
    private final LongSupplier ticks;
    private final RunningCalls calls;
    private final int room;

    private final Queue<Waiting> waiting = new ArrayDeque<>(); // guarded by this
    private int running; // running calls; guarded by this
    private int threads; // threads that take from the queue; guarded by this
    private long nanosPerEvent = FIRST_GUESS_NANOS; // guarded by this
    private long movedAt; // when a call last began or ended; guarded by this
    private long nextPlaceAt; // guarded by this
    private boolean overflowing; // since overflowingSince, until the queue is empty; guarded by this
    private long overflowingSince; // guarded by this

    /** @param openings see {@link CallRules#whileWaiting} */
    private record Waiting(HandlerTask task, int openings) {}

    HandlerQueue(
            Handler handler,
            HandlerRunner runner,
            CallRules rules,
            ProgressWriter outcomes,
            Executor executor,
            LongSupplier ticks,
            RunningCalls calls) {
        this.handler = handler;
        this.runner = runner;
        this.rules = rules;
        this.outcomes = outcomes;
        this.executor = executor;
        this.ticks = ticks;
        this.calls = calls;
        this.room = Math.max(ROOM, 2 * handler.maxRunning() * handler.maxBatch());
        this.movedAt = ticks.getAsLong();
    }

    Handler handler() {
        return handler;
    }

    BreakerState breakerState() {
        return rules.breakerState();
    }

    void pause(boolean pause) {
        if (pause) {
            rules.pause();
        } else {
            rules.resume();
        }
    }

    boolean isPaused() {
        return rules.isPaused();
    }

    synchronized int waitingCount() {
        return waiting.size();
    }

    synchronized int runningCount() {
        return running;
    }

    CompletableFuture<HandlerResult> submit(HandlerTask task) {
        int openings = rules.openings(); // before it passes
        CallRules.Postponement later = rules.postpone(calls, ticks.getAsLong(), false);
        if (later != null) {
            return CompletableFuture.completedFuture(postponed(later));
        }
        boolean start;
        synchronized (this) {
            if (!awaitPlace()) {
                return CompletableFuture.completedFuture(
                        postponed(nextPlace(), "is busy: " + running + " running, " + waiting.size() + " waiting"));
            }
            waiting.add(new Waiting(task, openings));
            start = running < handler.maxRunning() && threads < (handler.answersLater() ? 1 : handler.maxRunning());
            if (start) {
                threads++;
            }
        }
        if (start) {
            begin();
        }
        return task.result();
    }

    private Postponed postponed(CallRules.Postponement later) {
        return postponed(later.delay(), later.why());
    }

    private Postponed postponed(Duration delay, String why) {
        return new Postponed(delay, "handler '" + handler.name() + "' " + why, null);
    }

    /** Called with the lock held. @return whether there is space now */
    private boolean awaitPlace() {
        boolean fast = nanosPerEvent / handler.maxRunning() <= FAST_NANOS;
        while (waiting.size() >= room) {
            boolean stuck = ticks.getAsLong() - movedAt >= TimeUnit.MILLISECONDS.toNanos(LONGEST_WAIT_MILLIS);
            if (!fast || stuck) {
                return false;
            }
            try {
                wait(LONGEST_WAIT_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    private void begin() {
        try {
            executor.execute(this::runUntilEmpty);
        } catch (RuntimeException | Error e) { // closed, or no thread available
            List<Waiting> refused;
            synchronized (this) {
                threads--;
                refused = new ArrayList<>(waiting);
                waiting.clear();
                notifyAll();
            }
            refused.forEach(one -> one.task()
                    .result()
                    .complete(new Postponed(
                            e instanceof RejectedExecutionException ? Duration.ZERO : WITHOUT_THREAD,
                            "handler '" + handler.name() + "' cannot be called: "
                                    + (e instanceof RejectedExecutionException ? "closed" : e.toString()),
                            e)));
        }
    }

    private void runUntilEmpty() {
        while (true) {
            awaitWriter();
            sendBackWhatIsNotToBeCalled();
            List<HandlerTask> tasks;
            synchronized (this) {
                overflowing &= !waiting.isEmpty();
                tasks = running < handler.maxRunning() ? take() : List.of();
                if (tasks.isEmpty()) {
                    threads--;
                    return;
                }
                running++;
                movedAt = ticks.getAsLong();
                notifyAll();
            }
            if (call(tasks).isAbandoned()) {
                return; // replaced by another thread
            }
        }
    }

    private QueuedCall call(List<HandlerTask> tasks) {
        QueuedCall call = new QueuedCall(tasks);
        calls.begin(call);
        CompletionStage<?> answered;
        try {
            answered = runner.run(tasks);
        } catch (RuntimeException | Error e) {
            answered = CompletableFuture.failedFuture(e);
        }
        if (handler.answersLater()) {
            call.withoutThread();
        }
        var unused = answered.whenComplete((done, failure) -> {
            if (failure != null) { // the runner handles failures of the handler; this is an internal failure
                tasks.forEach(task -> task.result().completeExceptionally(failure));
            }
            if (call.end()) {
                ended(call.nanosOfEach());
            }
        });
        return call;
    }

    /**
     * One call of the handler. It no longer counts as running after its time limit, so that other events can continue.
     */
    private final class QueuedCall extends RunningCalls.Call {
        private final List<HandlerTask> tasks;
        private final long start = ticks.getAsLong();

        QueuedCall(List<HandlerTask> tasks) {
            super(handler.name(), handler.timeLimit());
            this.tasks = tasks;
        }

        long nanosOfEach() {
            return (ticks.getAsLong() - start) / tasks.size();
        }

        @Override
        protected void limitReached(DeliveryTimeoutException failure) {
            tasks.forEach(task -> task.timedOut(failure));
        }

        @Override
        protected void timedOut(DeliveryTimeoutException failure) {
            runner.timedOut(tasks, failure);
            ended(nanosOfEach());
        }

        @Override
        protected void abandoned(Thread abandonedThread) {
            runner.abandoned(tasks);
            threadLost();
        }
    }

    private void threadLost() {
        boolean start;
        synchronized (this) {
            start = !waiting.isEmpty();
            if (!start) {
                threads--;
            }
        }
        if (start) {
            begin(); // start a replacement thread
        }
    }

    private void awaitWriter() {
        try {
            outcomes.awaitRoom();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closing: waiting tasks are called and see the interruption
        }
    }

    private List<HandlerTask> take() {
        List<HandlerTask> tasks = new ArrayList<>();
        while (tasks.size() < handler.maxBatch() && !waiting.isEmpty()) {
            HandlerTask next = waiting.element().task();
            if (next.isSuspect() && !tasks.isEmpty()) {
                return tasks;
            }
            tasks.add(waiting.remove().task());
            if (next.isSuspect()) { // called alone: if it kills the process, no other attempt is counted
                return tasks;
            }
        }
        return tasks;
    }

    private void sendBackWhatIsNotToBeCalled() {
        List<Runnable> back = new ArrayList<>();
        synchronized (this) {
            while (!waiting.isEmpty()) {
                CallRules.Postponement later =
                        rules.whileWaiting(waiting.element().openings(), ticks.getAsLong());
                if (later == null) {
                    break;
                }
                HandlerTask task = waiting.remove().task();
                back.add(() -> task.result().complete(postponed(later)));
            }
            if (!back.isEmpty()) {
                notifyAll();
            }
        }
        back.forEach(Runnable::run);
    }

    private void ended(long nanosOfEach) {
        boolean start;
        synchronized (this) {
            running--;
            movedAt = ticks.getAsLong();
            nanosPerEvent += (nanosOfEach - nanosPerEvent) / 5;
            start = threads == 0 && !waiting.isEmpty(); // no thread is left to take waiting tasks
            if (start) {
                threads++;
            }
        }
        if (start) {
            begin();
        }
    }

    private Duration nextPlace() {
        long now = ticks.getAsLong();
        if (!overflowing) {
            overflowing = true;
            overflowingSince = now;
            nextPlaceAt = now;
        }
        long furthest = Math.min(LONGEST_NANOS, Math.max(SHORTEST_NANOS, 2 * (now - overflowingSince)));
        long perEvent = Math.max(1, nanosPerEvent / handler.maxRunning());
        nextPlaceAt = Math.max(nextPlaceAt, now + perEvent * waiting.size()) + perEvent;
        return Duration.ofNanos(Math.max(SHORTEST_NANOS, Math.min(furthest, nextPlaceAt - now)));
    }
}
