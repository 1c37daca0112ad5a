package outbox.dispatch;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A dispatcher on threads of a {@link SharedWorkerPool}: stands in line while it can work. Thread-safe. */
final class SharedThreads implements Threads {
    private static final long FORCED_END_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final SharedWorkerPool.Member member;
    private final SharedWorkerPool pool;
    private final Object settlement = new Object();
    private final AtomicInteger turns = new AtomicInteger(); // in line or running
    private final AtomicBoolean settling = new AtomicBoolean(); // a task is submitted
    private final AtomicBoolean renewing = new AtomicBoolean(); // a task is scheduled
    private final Set<Thread> atWork = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Steps steps;
    private volatile boolean stopped;

    SharedThreads(SharedWorkerPool.Member member) {
        this.member = member;
        this.pool = member.pool();
    }

    @Override
    public void start(Steps steps) {
        this.steps = steps;
        pool.enforce(steps.calls());
    }

    private Steps steps() {
        return Objects.requireNonNull(steps, "start(...) comes first");
    }

    @Override
    public void endTimeLimits() {
        pool.enforceNoMore(steps().calls());
    }

    @Override
    public void workAvailable() {
        standInLine();
    }

    // ---- work ---------------------------------------------------------------------------------------------------

    private void standInLine() {
        Steps steps = steps();
        keepLeases();
        int now = turns.get();
        while (!stopped && now < pool.turnLimit() && steps.canWork()) {
            if (turns.compareAndSet(now, now + 1)) {
                pool.standInLine(this);
                return;
            }
            now = turns.get();
        }
    }

    @Override
    public void replaceWorker(Thread thread) {
        synchronized (atWork) {
            if (!atWork.remove(thread)) {
                return;
            }
        }
        pool.replaceWorker(thread);
        turns.decrementAndGet();
        standInLine();
    }

    @Override
    public boolean isWorker() {
        return atWork.contains(Thread.currentThread());
    }

    /** Delivers one event, if there is one. */
    void work() {
        atWork.add(Thread.currentThread());
        try {
            if (!stopped && steps().canWork()) {
                steps().workOnce();
            }
        } finally {
            boolean replaced;
            synchronized (atWork) { // an interrupt meant for this turn comes before, or not at all
                replaced = !atWork.remove(Thread.currentThread());
            }
            if (replaced) {
                standInLine(); // an event may have come while all its turns were taken
            } else if (!stopped && steps().canWork()) {
                pool.standInLine(this); // behind the others
            } else {
                turns.decrementAndGet();
                standInLine(); // for what came between the look and the step out of the line
            }
        }
    }

    // ---- settlement and leases ----------------------------------------------------------------------------------

    @Override
    public void outcomeWaiting() {
        if (settling.compareAndSet(false, true)) {
            member.submit(this::settle);
        }
    }

    private void settle() {
        boolean failing = true;
        try {
            failing = settleOnce();
        } finally {
            if (failing) {
                member.schedule(this::settle, Math.max(member.pauseNanos(), FIRST_PAUSE_NANOS));
            }
        }
        if (failing) {
            throw new IllegalStateException("outcomes could not be written");
        }
        long toNextTry = steps().nanosToNextTry();
        settling.set(false);
        if (steps().hasOutcomes()) { // they came meanwhile and are the next batch
            outcomeWaiting();
        } else if (toNextTry < Long.MAX_VALUE) {
            member.schedule(this::outcomeWaiting, Math.max(toNextTry, TimeUnit.MILLISECONDS.toNanos(1)));
        }
        standInLine(); // there is room for more
    }

    /** One batch at a time, also at the end. @return whether the database fails */
    private boolean settleOnce() {
        synchronized (settlement) {
            steps().settleOnce();
            return steps().isSettlingFailing();
        }
    }

    /** While events are in flight, their leases are renewed. */
    private void keepLeases() {
        long every = steps().renewEveryNanos();
        if (every > 0 && !renewing.get() && steps().hasInFlight() && renewing.compareAndSet(false, true)) {
            member.schedule(this::renew, every);
        }
    }

    private void renew() {
        renewing.set(false);
        try {
            steps().renewOnce();
        } finally {
            keepLeases();
        }
        if (steps().isRenewalFailing()) {
            throw new IllegalStateException("leases could not be renewed");
        }
    }

    // ---- the end ------------------------------------------------------------------------------------------------

    @Override
    public void endWorkers(long deadline, Runnable beforeInterrupting) {
        while (steps().hasWorkLeft()
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
    @Override
    public void endSettlement(long deadline) {
        long end = Math.max(System.nanoTime() + FORCED_END_NANOS, deadline);
        while ((steps().hasOutcomes() || steps().hasOutcomesToTryAgain()) && System.nanoTime() < end) {
            if (settleOnce() || !steps().hasOutcomes()) {
                LockSupport.parkNanos(this, FIRST_PAUSE_NANOS);
            }
        }
    }
}
