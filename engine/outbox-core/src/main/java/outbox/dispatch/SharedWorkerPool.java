package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.listener.RunningCalls;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Loop;

/**
 * A fixed number of threads for any number of dispatchers. Thread-safe.
 *
 * <h2>Turns</h2>
 *
 * A dispatcher with an event to deliver stands in line, at most {@code turnLimit} times. A worker takes the first in line,
 * delivers one of its events, and puts it at the end if there are more: the others come first, however many events one has.
 *
 * <h2>Submitteds</h2>
 *
 * What needs the database (writing outcomes, renewing leases, polls) is a task for a few threads of its own, so there are
 * never more connections in use than these threads. A database that does not answer blocks a thread until its timeout.
 * Therefore one dispatcher has at most half of the threads, and a dispatcher whose last task failed is served by one thread
 * that is reserved for such dispatchers, until a task succeeds: a failing database delays only other failing ones.
 */
public final class SharedWorkerPool implements AutoCloseable {
    private static final Logger LOG = System.getLogger(SharedWorkerPool.class.getName());
    private static final long FORCED_END_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 5000;
    private static final long WATCH_EVERY_MS = 100;

    private final int turnLimit;
    private final int taskLimit;
    private final BlockingQueue<SharedThreads> line = new LinkedBlockingQueue<>();
    private final BlockingQueue<Submitted> tasks = new LinkedBlockingQueue<>();
    private final BlockingQueue<Submitted> tasksOfFailing = new LinkedBlockingQueue<>();
    private final List<Loop> loops = new CopyOnWriteArrayList<>();
    private final ThreadFactory workerThreads;
    private final Set<RunningCalls> calls = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor timer;
    private volatile boolean closed;

    private record Submitted(Member member, Task task) {}

    /** Something to do with the database of one member. */
    @FunctionalInterface
    public interface Task {
        /** @throws Exception if the database could not be asked */
        void run() throws Exception;
    }

    /**
     * @param workers how many listeners run at a time
     * @param workerThreads makes their threads
     * @param turnLimit how many of them may serve one dispatcher at a time
     * @param databaseThreads how many tasks run at a time, besides one for failing databases; one dispatcher has half of them
     */
    public SharedWorkerPool(int workers, ThreadFactory workerThreads, int turnLimit, int databaseThreads) {
        if (workers <= 0 || turnLimit <= 0 || databaseThreads <= 0) {
            throw new IllegalArgumentException("workers, turnLimit and databaseThreads must be positive: " + workers
                    + ", " + turnLimit + ", " + databaseThreads);
        }
        this.turnLimit = turnLimit;
        this.workerThreads = workerThreads;
        this.taskLimit = Math.max(1, databaseThreads / 2);
        for (int i = 0; i < workers; i++) {
            loops.add(newWorker());
        }
        ThreadFactory database = new DaemonThreadFactory("outbox-database-");
        for (int i = 0; i < databaseThreads; i++) {
            loops.add(new Loop("outbox database task", database, () -> taskTurn(tasks, false)));
        }
        loops.add(new Loop(
                "outbox task of a failing database",
                new DaemonThreadFactory("outbox-database-failing-"),
                () -> taskTurn(tasksOfFailing, true)));
        loops.add(new Loop("outbox time limits", new DaemonThreadFactory("outbox-time-limits-"), this::watchTurn));
        this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-timer-"));
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // at the end nothing is due any more
        loops.forEach(Loop::start);
    }

    private Loop newWorker() {
        return new Loop("outbox worker", workerThreads, this::workTurn);
    }

    void replaceWorker(Thread thread) {
        if (!closed) {
            loops.replaceAll(loop -> loop.runsOn(thread) ? replacementOf(loop) : loop);
        }
    }

    private Loop replacementOf(Loop worker) {
        worker.endAfterStep();
        return newWorker().start();
    }

    private boolean watchTurn() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(WATCH_EVERY_MS);
        calls.forEach(RunningCalls::look);
        return !closed;
    }

    private boolean workTurn() throws InterruptedException {
        line.take().work();
        boolean ignored = Thread.interrupted(); // left behind by a listener, or meant for the turn that is over
        return !closed;
    }

    private boolean taskTurn(BlockingQueue<Submitted> queue, boolean forFailing) throws InterruptedException {
        Submitted next = queue.take();
        if (!forFailing && next.member().failing) {
            tasksOfFailing.add(next); // it has failed since this task was submitted
        } else {
            next.member().run(next.task());
        }
        return !closed;
    }

    /**
     * A part of these threads for one dispatcher.
     *
     * @param name of its database, for log lines
     */
    public Member join(String name) {
        if (closed) {
            throw new IllegalStateException("the worker pool was closed; " + name + " cannot use it");
        }
        return new Member(name);
    }

    // ---- for the dispatchers ------------------------------------------------------------------------------------

    int turnLimit() {
        return turnLimit;
    }

    void standInLine(SharedThreads dispatcher) {
        line.add(dispatcher);
    }

    void enforce(RunningCalls running) {
        calls.add(running);
    }

    void enforceNoMore(RunningCalls running) {
        calls.remove(running);
    }

    /** Whether the caller is one of its threads. */
    public boolean isCurrentThread() {
        return loops.stream().anyMatch(Loop::isCurrentThread);
    }

    /** Ends the threads; close the dispatchers first. */
    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        loops.forEach(Loop::interrupt);
        try {
            long end = System.nanoTime() + FORCED_END_NANOS;
            for (Loop loop : loops) {
                loop.awaitEnd(end - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The part of one dispatcher in the pool. Thread-safe. */
    public final class Member {
        private final String name;
        private final Queue<Task> toSubmit = new ArrayDeque<>(); // guarded by itself
        private int submitted; // waiting for a thread or running; guarded by toSubmit
        private final AtomicInteger failures = new AtomicInteger();
        private final FailureLog failureLog;
        private volatile boolean failing;

        private Member(String name) {
            this.name = name;
            this.failureLog = new FailureLog(LOG, Level.WARNING, "the database of " + name);
        }

        SharedWorkerPool pool() {
            return SharedWorkerPool.this;
        }

        /** Whether the last task failed. */
        public boolean isFailing() {
            return failing;
        }

        /** Lets a database thread do something for this dispatcher soon. */
        public void submit(Task task) {
            synchronized (toSubmit) {
                toSubmit.add(task);
                submitWithinLimit();
            }
        }

        private void submitWithinLimit() {
            while (submitted < taskLimit && !toSubmit.isEmpty() && !closed) {
                submitted++;
                (failing ? tasksOfFailing : tasks).add(new Submitted(this, toSubmit.remove()));
            }
        }

        /** As {@link #submit}, after a time. */
        public void schedule(Task task, long delayNanos) {
            if (!closed) {
                var unused = timer.schedule(() -> submit(task), delayNanos, TimeUnit.NANOSECONDS);
            }
        }

        private void run(Task task) {
            try {
                task.run();
                failing = false;
                failures.set(0);
                failureLog.succeeded();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Throwable e) { // of one member: the thread goes on for the others
                failureLog.failed(name + ": its database fails; served apart from the others until it works", e);
                failing = true;
                failures.incrementAndGet();
            } finally {
                synchronized (toSubmit) {
                    submitted--;
                    submitWithinLimit();
                }
            }
        }

        /** How long to wait before a failing database is asked again. */
        public long pauseNanos() {
            int failed = failures.get();
            return failed == 0
                    ? 0
                    : TimeUnit.MILLISECONDS.toNanos(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(10, failed)));
        }
    }
}
