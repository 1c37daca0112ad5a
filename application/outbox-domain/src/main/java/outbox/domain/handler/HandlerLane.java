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
import outbox.listener.CircuitBreaker;
import outbox.listener.RunningCalls;
import outbox.spi.BreakerState;

/**
 * The queue in front of one handler and the calls that run. It keeps a slow handler from using up the threads of the
 * others: a call has a thread, unless the handler answers later, which needs one for all its calls. Thread-safe.
 *
 * <h2>When the queue is full</h2>
 *
 * In front of a fast handler whoever brings an event waits a moment for a place: that is how the handler sets the pace of
 * the dispatcher. In front of a slow one it would hold up events of other types; there the event is postponed, without
 * counting an attempt, and goes back to the table while its other handlers go on. Each postponed event gets a place in
 * time behind the one before, as far apart as this handler needs for one: they come back at the rate it works at, not all
 * at once. How long it needs is known the better the longer it has been busy; no event is sent further away than twice
 * that.
 *
 * <h2>When the handler is paused or left alone</h2>
 *
 * Nobody comes in, and what waits goes back to the table too instead of being called: its attempts would be used up.
 */
final class HandlerLane {
    static final int ROOM = 128;
    /** A handler that frees places faster than this is worth waiting for. */
    static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long FIRST_GUESS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration WHILE_PAUSED = Duration.ofSeconds(5);
    private static final Duration WITHOUT_THREAD = Duration.ofSeconds(1);
    private static final long LONGEST_WAIT_MILLIS = 50;
    private static final long SHORTEST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final Handler handler;
    private final HandlerRunner runner;
    private final CircuitBreaker breaker;
    private final OutcomeWriter outcomes;
    private final Executor executor;
    private final LongSupplier ticks;
    private final RunningCalls calls;
    private final int room;

    private volatile boolean paused;

    private final Queue<Waiting> waiting = new ArrayDeque<>(); // guarded by this
    private int running; // calls under way; guarded by this
    private int threads; // that take from the queue; guarded by this
    private long nanosPerEvent = FIRST_GUESS_NANOS; // guarded by this
    private long movedAt; // when a call last began or ended; guarded by this
    private long nextPlaceAt; // guarded by this
    private boolean overflowing; // since overflowingSince, until the queue is empty; guarded by this
    private long overflowingSince; // guarded by this

    /** @param openings of the breaker when it let this one pass */
    private record Waiting(HandlerTask task, int openings) {}

    HandlerLane(
            Handler handler,
            HandlerRunner runner,
            CircuitBreaker breaker,
            OutcomeWriter outcomes,
            Executor executor,
            LongSupplier ticks,
            RunningCalls calls) {
        this.handler = handler;
        this.runner = runner;
        this.breaker = breaker;
        this.outcomes = outcomes;
        this.executor = executor;
        this.ticks = ticks;
        this.calls = calls;
        this.room = Math.max(ROOM, 2 * handler.lanes() * handler.maxBatch());
        this.movedAt = ticks.getAsLong();
    }

    Handler handler() {
        return handler;
    }

    BreakerState breakerState() {
        return breaker.state();
    }

    void pause(boolean pause) {
        paused = pause;
    }

    boolean isPaused() {
        return paused;
    }

    synchronized int waitingCount() {
        return waiting.size();
    }

    synchronized int runningCount() {
        return running;
    }

    CompletableFuture<HandlerResult> submit(HandlerTask task) {
        if (paused) {
            return CompletableFuture.completedFuture(whilePaused());
        }
        if (calls.isSuspended(handler.name())) {
            return CompletableFuture.completedFuture(
                    postponed(WHILE_PAUSED, "has calls that do not return and is not called"));
        }
        int openings = breaker.openings();
        Duration stayAway = Duration.ofNanos(breaker.tryPass(ticks.getAsLong()));
        if (!stayAway.isZero()) {
            return CompletableFuture.completedFuture(leftAlone(stayAway));
        }
        boolean start;
        synchronized (this) {
            if (!awaitPlace()) {
                return CompletableFuture.completedFuture(
                        postponed(nextPlace(), "is busy: " + running + " running, " + waiting.size() + " waiting"));
            }
            waiting.add(new Waiting(task, openings));
            start = running < handler.lanes() && threads < (handler.answersLater() ? 1 : handler.lanes());
            if (start) {
                threads++;
            }
        }
        if (start) {
            begin();
        }
        return task.result();
    }

    private Postponed whilePaused() {
        return postponed(WHILE_PAUSED, "is paused");
    }

    private Postponed leftAlone(Duration stayAway) {
        return postponed(stayAway, "failed too often in a row and is left alone");
    }

    private Postponed postponed(Duration delay, String why) {
        return new Postponed(delay, "handler '" + handler.name() + "' " + why, null);
    }

    /** Called with the lock held. @return whether there is a place now */
    private boolean awaitPlace() {
        boolean fast = nanosPerEvent / handler.lanes() <= FAST_NANOS;
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
        } catch (RuntimeException | Error e) { // closed, or no thread is to be had
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
                            "handler '" + handler.name() + "' takes no more calls: "
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
                tasks = running < handler.lanes() ? take() : List.of();
                if (tasks.isEmpty()) {
                    threads--;
                    return;
                }
                running++;
                movedAt = ticks.getAsLong();
                notifyAll();
            }
            if (call(tasks).isAbandoned()) {
                return; // another thread has taken its place
            }
        }
    }

    private LaneCall call(List<HandlerTask> tasks) {
        LaneCall call = new LaneCall(tasks);
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
            if (failure != null) { // the runner answers for the handler; this is its own failure
                tasks.forEach(task -> task.result().completeExceptionally(failure));
            }
            if (call.end()) {
                ended(call.nanosOfEach());
            }
        });
        return call;
    }

    /** One call of the handler. It frees its place when its time limit is reached: the next event is not to blame. */
    private final class LaneCall extends RunningCalls.Call {
        private final List<HandlerTask> tasks;
        private final long start = ticks.getAsLong();

        LaneCall(List<HandlerTask> tasks) {
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
            begin(); // in its place
        }
    }

    private void awaitWriter() {
        try {
            outcomes.awaitRoom();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closing: what waits is called, and sees it
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
            if (next.isSuspect()) { // should it end the process, no other attempt must count
                return tasks;
            }
        }
        return tasks;
    }

    private void sendBackWhatIsNotToBeCalled() {
        List<Waiting> back = new ArrayList<>();
        boolean sendAll = paused;
        synchronized (this) {
            // Those that passed before the breaker opened are in front of the probe that passed after.
            boolean open = breaker.state() != BreakerState.CLOSED;
            while (!waiting.isEmpty() && (sendAll || (open && waiting.element().openings() != breaker.openings()))) {
                back.add(waiting.remove());
            }
            if (!back.isEmpty()) {
                notifyAll();
            }
        }
        if (!back.isEmpty()) {
            Postponed result =
                    sendAll ? whilePaused() : leftAlone(Duration.ofNanos(breaker.stayAway(ticks.getAsLong())));
            back.forEach(one -> one.task().result().complete(result));
        }
    }

    private void ended(long nanosOfEach) {
        boolean start;
        synchronized (this) {
            running--;
            movedAt = ticks.getAsLong();
            nanosPerEvent += (nanosOfEach - nanosPerEvent) / 5;
            start = threads == 0 && !waiting.isEmpty(); // nobody was left to take what waits for this place
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
        long perEvent = Math.max(1, nanosPerEvent / handler.lanes());
        nextPlaceAt = Math.max(nextPlaceAt, now + perEvent * waiting.size()) + perEvent;
        return Duration.ofNanos(Math.max(SHORTEST_NANOS, Math.min(furthest, nextPlaceAt - now)));
    }
}
