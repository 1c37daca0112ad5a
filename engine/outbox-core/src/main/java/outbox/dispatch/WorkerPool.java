package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.listener.RunningCalls;
import outbox.util.DaemonThreadFactory;
import outbox.util.Loop;

/**
 * The threads of a dispatcher, and how they end. A crew without threads belongs to a dispatcher that is driven turn by
 * turn.
 */
final class WorkerPool {
    private static final Logger LOG = System.getLogger(WorkerPool.class.getName());
    private static final long FORCED_END_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<Loop> workers = new CopyOnWriteArrayList<>();
    private @Nullable Supplier<Loop> newWorker;
    private @Nullable Loop settling;
    private @Nullable Loop renewing;
    private @Nullable Loop watching;
    private boolean interrupted;

    void addWorkers(int count, @Nullable ThreadFactory threads, Loop.Step work) {
        ThreadFactory factory = threads == null ? new DaemonThreadFactory("outbox-worker-") : threads;
        newWorker = () -> new Loop("outbox worker", factory, work);
        for (int i = 0; i < count; i++) {
            workers.add(newWorker.get());
        }
    }

    /** Another worker takes the place of this one, which ends when its listener returns. */
    void replaceWorker(Thread thread) {
        workers.replaceAll(worker -> worker.runsOn(thread) ? replacementOf(worker) : worker);
    }

    private Loop replacementOf(Loop worker) {
        worker.endAfterStep();
        return Objects.requireNonNull(newWorker).get().start();
    }

    void addSettler(Loop.Step settle) {
        settling = new Loop("outbox settler", new DaemonThreadFactory("outbox-settler-"), settle);
    }

    void addRenewal(Loop.Step renew) {
        renewing = new Loop("outbox lease renewal", new DaemonThreadFactory("outbox-leases-"), renew);
    }

    void addTimeLimits(RunningCalls calls) {
        watching = new Loop("outbox time limits", new DaemonThreadFactory("outbox-time-limits-"), calls::watch);
    }

    /** Whether the caller is one of the workers. */
    boolean isWorker() {
        return workers.stream().anyMatch(Loop::isCurrentThread);
    }

    void start() {
        workers.forEach(Loop::start);
        if (settling != null) {
            settling.start();
        }
        if (renewing != null) {
            renewing.start();
        }
        if (watching != null) {
            watching.start();
        }
    }

    /**
     * Waits for the workers to end by themselves, then interrupts them.
     *
     * @param deadline in {@link System#nanoTime()}
     * @param beforeInterrupting told before workers are interrupted
     */
    void endWorkers(long deadline, Runnable beforeInterrupting) {
        try {
            for (Loop worker : workers) {
                worker.awaitEnd(deadline - System.nanoTime());
            }
            if (System.nanoTime() - deadline < 0) {
                return;
            }
            beforeInterrupting.run();
            interruptWorkers();
        } catch (InterruptedException e) {
            interrupted = true;
            beforeInterrupting.run();
            workers.forEach(Loop::interrupt);
        }
    }

    private void interruptWorkers() throws InterruptedException {
        workers.forEach(Loop::interrupt);
        long end = System.nanoTime() + FORCED_END_NANOS;
        for (Loop worker : workers) {
            if (!worker.awaitEnd(end - System.nanoTime())) {
                LOG.log(
                        Level.WARNING,
                        "a listener did not end within the drain timeout and ignores interruption; its event is"
                                + " delivered again when its lease is over");
            }
        }
    }

    /** Waits for the settler, which ends when all is written, at least for a second. */
    void endSettler(long deadline) {
        end(settling, Math.max(FORCED_END_NANOS, deadline - System.nanoTime()));
    }

    void endRenewal() {
        interruptAndEnd(renewing);
    }

    void endTimeLimits() {
        interruptAndEnd(watching);
    }

    private void interruptAndEnd(@Nullable Loop loop) {
        if (loop != null) {
            loop.interrupt();
        }
        end(loop, FORCED_END_NANOS);
    }

    /** Passes on an interruption of the thread that waited here. */
    void restoreInterrupt() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void end(@Nullable Loop loop, long nanos) {
        if (loop == null) {
            return;
        }
        try {
            if (!loop.awaitEnd(nanos)) {
                loop.interrupt();
                loop.awaitEnd(FORCED_END_NANOS);
            }
        } catch (InterruptedException e) {
            loop.interrupt();
            interrupted = true;
        }
    }
}
