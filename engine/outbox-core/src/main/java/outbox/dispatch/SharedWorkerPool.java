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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
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
 * <h2>Errands</h2>
 *
 * What needs the database (writing outcomes, renewing leases, polls) is an errand, done by a few threads of its own, so
 * the connections in use are never more than these threads. A database that does not answer keeps a thread until its time
 * is out. Therefore one dispatcher has at most half of the threads, and one whose last errand failed is served by one
 * thread that is there for such ones only, until an errand succeeds: what is broken holds up nobody but other broken ones.
 */
public final class SharedWorkerPool implements AutoCloseable {
    private static final Logger LOG = System.getLogger(SharedWorkerPool.class.getName());
    private static final long FORCED_END_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 5000;
    private static final long WATCH_EVERY_MS = 100;

    private final int turnLimit;
    private final int errandLimit;
    private final BlockingQueue<Member> line = new LinkedBlockingQueue<>();
    private final BlockingQueue<Errand> errands = new LinkedBlockingQueue<>();
    private final BlockingQueue<Errand> errandsOfAiling = new LinkedBlockingQueue<>();
    private final List<Loop> loops = new CopyOnWriteArrayList<>();
    private final ThreadFactory workerThreads;
    private final Set<RunningCalls> calls = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor timer;
    private volatile boolean closed;

    /** Something to do with the database of one member. */
    private record Errand(Member member, Task task) {}

    /** The content of an errand. */
    @FunctionalInterface
    public interface Task {
        /** @throws Exception if the database could not be asked */
        void run() throws Exception;
    }

    /**
     * @param workers how many listeners run at a time
     * @param workerThreads makes their threads
     * @param turnLimit how many of them may serve one dispatcher at a time
     * @param databaseThreads how many errands run at a time, besides one for what is broken; one dispatcher has half of them
     */
    public SharedWorkerPool(int workers, ThreadFactory workerThreads, int turnLimit, int databaseThreads) {
        if (workers <= 0 || turnLimit <= 0 || databaseThreads <= 0) {
            throw new IllegalArgumentException("workers, turnLimit and databaseThreads must be positive: " + workers
                    + ", " + turnLimit + ", " + databaseThreads);
        }
        this.turnLimit = turnLimit;
        this.workerThreads = workerThreads;
        this.errandLimit = Math.max(1, databaseThreads / 2);
        for (int i = 0; i < workers; i++) {
            loops.add(newWorker());
        }
        ThreadFactory database = new DaemonThreadFactory("outbox-database-");
        for (int i = 0; i < databaseThreads; i++) {
            loops.add(new Loop("outbox errand", database, () -> errandTurn(errands, false)));
        }
        loops.add(new Loop(
                "outbox errand for a failing database",
                new DaemonThreadFactory("outbox-database-failing-"),
                () -> errandTurn(errandsOfAiling, true)));
        loops.add(new Loop("outbox time limits", new DaemonThreadFactory("outbox-time-limits-"), this::watchTurn));
        this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-timer-"));
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // at the end nothing is due any more
        loops.forEach(Loop::start);
    }

    private Loop newWorker() {
        return new Loop("outbox worker", workerThreads, this::workTurn);
    }

    private void replaceWorker(Thread thread) {
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

    private boolean errandTurn(BlockingQueue<Errand> queue, boolean forAiling) throws InterruptedException {
        Errand errand = queue.take();
        if (!forAiling && errand.member().ailing) {
            errandsOfAiling.add(errand); // it has failed since this errand was given
        } else {
            errand.member().run(errand.task());
        }
        return !closed;
    }

    Member join(OutboxDispatcher dispatcher, String name) {
        if (closed) {
            throw new IllegalStateException("the crew for " + name + " was closed");
        }
        return new Member(dispatcher, name);
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

    /** The part of one dispatcher in the crew. */
    public final class Member {
        private final OutboxDispatcher dispatcher;
        private final String name;
        private final Object settlement = new Object();
        private final AtomicInteger turns = new AtomicInteger(); // in line or running
        private final AtomicBoolean settling = new AtomicBoolean(); // an errand is given
        private final AtomicBoolean renewing = new AtomicBoolean(); // a time is set
        private final Set<Thread> atWork = ConcurrentHashMap.newKeySet();
        private final Queue<Task> errandsToGive = new ArrayDeque<>(); // guarded by itself
        private int errandsGiven; // waiting for a thread or running; guarded by errandsToGive
        private final AtomicInteger failures = new AtomicInteger();
        private final FailureLog failureLog;
        private volatile boolean ailing;
        private volatile boolean stopped;

        Member(OutboxDispatcher dispatcher, String name) {
            this.dispatcher = dispatcher;
            this.name = name;
            this.failureLog = new FailureLog(LOG, Level.WARNING, "the database of " + name);
        }

        /** Whether the last errand failed. */
        public boolean isFailing() {
            return ailing;
        }

        /** Lets a database thread do something for this dispatcher soon. */
        public void give(Task task) {
            synchronized (errandsToGive) {
                errandsToGive.add(task);
                giveErrands();
            }
        }

        private void giveErrands() {
            while (errandsGiven < errandLimit && !errandsToGive.isEmpty() && !closed) {
                errandsGiven++;
                (ailing ? errandsOfAiling : errands).add(new Errand(this, errandsToGive.remove()));
            }
        }

        /** As {@link #give}, after a time. */
        public void giveLater(Task task, long delayNanos) {
            if (!closed) {
                var unused = timer.schedule(() -> give(task), delayNanos, TimeUnit.NANOSECONDS);
            }
        }

        private void run(Task task) {
            try {
                task.run();
                ailing = false;
                failures.set(0);
                failureLog.succeeded();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Throwable e) { // of one member: the thread goes on for the others
                failureLog.failed(name + ": its database fails; served apart from the others until it works", e);
                ailing = true;
                failures.incrementAndGet();
            } finally {
                synchronized (errandsToGive) {
                    errandsGiven--;
                    giveErrands();
                }
            }
        }

        /** How long to leave a failing database alone before it is asked again. */
        public long pauseNanos() {
            int failed = failures.get();
            return failed == 0
                    ? 0
                    : TimeUnit.MILLISECONDS.toNanos(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(10, failed)));
        }

        // ---- work ---------------------------------------------------------------------------------------------------

        /** An event is there, or room for its outcome. */
        void standInLine() {
            holding();
            int now = turns.get();
            while (!stopped && now < turnLimit && dispatcher.canWork()) {
                if (turns.compareAndSet(now, now + 1)) {
                    line.add(this);
                    return;
                }
                now = turns.get();
            }
        }

        /** The time limits of its calls are enforced from now on. */
        void enforce(RunningCalls running) {
            calls.add(running);
        }

        void enforceNoMore(RunningCalls running) {
            calls.remove(running);
        }

        /** The listener that runs there does not return: another thread takes the turns of this one. */
        void replaceWorker(Thread thread) {
            synchronized (atWork) {
                if (!atWork.remove(thread)) {
                    return;
                }
            }
            SharedWorkerPool.this.replaceWorker(thread);
            turns.decrementAndGet();
            standInLine();
        }

        /** Whether the caller is a worker that delivers an event of this dispatcher. */
        boolean isAtWork() {
            return atWork.contains(Thread.currentThread());
        }

        private void work() {
            atWork.add(Thread.currentThread());
            try {
                if (!stopped && dispatcher.canWork()) {
                    dispatcher.workOnce();
                }
            } finally {
                boolean replaced;
                synchronized (atWork) { // an interrupt meant for this turn comes before, or not at all
                    replaced = !atWork.remove(Thread.currentThread());
                }
                if (replaced) {
                    standInLine(); // an event may have come while all its turns were taken
                } else if (!stopped && dispatcher.canWork()) {
                    line.add(this); // behind the others
                } else {
                    turns.decrementAndGet();
                    standInLine(); // for what came between the look and the step out of the line
                }
            }
        }

        // ---- settlement and leases ----------------------------------------------------------------------------------

        /** An outcome is there. */
        void settleSoon() {
            if (settling.compareAndSet(false, true)) {
                give(this::settle);
            }
        }

        private void settle() {
            boolean failing = true;
            try {
                failing = settleOnce();
            } finally {
                if (failing) {
                    giveLater(this::settle, Math.max(pauseNanos(), TimeUnit.MILLISECONDS.toNanos(FIRST_PAUSE_MS)));
                }
            }
            if (failing) {
                throw new IllegalStateException("outcomes could not be written");
            }
            long toNextTry = dispatcher.nanosToNextTry();
            settling.set(false);
            if (dispatcher.hasOutcomes()) { // they came meanwhile and are the next batch
                settleSoon();
            } else if (toNextTry < Long.MAX_VALUE) {
                giveLater(this::settleSoon, Math.max(toNextTry, TimeUnit.MILLISECONDS.toNanos(1)));
            }
            standInLine(); // there is room for more
        }

        /** One batch at a time, also at the end. @return whether the database fails */
        private boolean settleOnce() {
            synchronized (settlement) {
                dispatcher.settleOnce();
                return dispatcher.isSettlingFailing();
            }
        }

        /** Events are in hand: their leases are looked after until none is left. */
        void holding() {
            long every = dispatcher.renewEveryNanos();
            if (every > 0 && !renewing.get() && dispatcher.isHolding() && renewing.compareAndSet(false, true)) {
                giveLater(this::renew, every);
            }
        }

        private void renew() {
            renewing.set(false);
            try {
                dispatcher.renewOnce();
            } finally {
                holding();
            }
            if (dispatcher.isRenewalFailing()) {
                throw new IllegalStateException("leases could not be renewed");
            }
        }

        // ---- the end ------------------------------------------------------------------------------------------------

        /** Waits until all is delivered and written; at the deadline, interrupts what runs. */
        void endWorkers(long deadline, Runnable beforeInterrupting) {
            while (dispatcher.hasWorkLeft()
                    && System.nanoTime() < deadline
                    && !Thread.currentThread().isInterrupted()) {
                standInLine();
                LockSupport.parkNanos(this, LINGER_NANOS);
            }
            stopped = true;
            if (turns.get() > 0 && !atWork.isEmpty()) {
                beforeInterrupting.run();
                synchronized (atWork) {
                    atWork.forEach(Thread::interrupt);
                }
                long end = System.nanoTime() + FORCED_END_NANOS;
                while (!atWork.isEmpty() && System.nanoTime() < end) {
                    LockSupport.parkNanos(this, LINGER_NANOS);
                }
            }
        }

        /** Writes what is left, on the caller's thread. */
        void endSettler(long deadline) {
            long end = Math.max(System.nanoTime() + FORCED_END_NANOS, deadline);
            while ((dispatcher.hasOutcomes() || dispatcher.hasOutcomesToTryAgain()) && System.nanoTime() < end) {
                if (settleOnce() || !dispatcher.hasOutcomes()) {
                    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(FIRST_PAUSE_MS));
                }
            }
        }
    }
}
