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

/** The threads of one dispatcher, and how they end. Thread-safe. */
final class WorkerPool implements Threads {
    private static final Logger LOG = System.getLogger(WorkerPool.class.getName());
    private static final long FORCED_END_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int workerCount;
    private final ThreadFactory workerThreads;
    private final List<Loop> workers = new CopyOnWriteArrayList<>();
    private volatile @Nullable Loop settling;
    private volatile @Nullable Loop renewing;
    private volatile @Nullable Loop watching;
    private volatile @Nullable Supplier<Loop> newWorker;
    private boolean interrupted; // only the thread that closes

    /** @param workerThreads {@code null} for daemon threads */
    WorkerPool(int workerCount, @Nullable ThreadFactory workerThreads) {
        this.workerCount = workerCount;
        this.workerThreads = workerThreads == null ? new DaemonThreadFactory("outbox-worker-") : workerThreads;
    }

    @Override
    public void start(Steps steps) {
        settling = new Loop("outbox settler", new DaemonThreadFactory("outbox-settler-"), steps::settle).start();
        if (steps.renews()) {
            renewing =
                    new Loop("outbox lease renewal", new DaemonThreadFactory("outbox-leases-"), steps::renew).start();
        }
        start(steps::work, steps.calls());
    }

    /** Starts with workers and time limits alone. */
    void start(Loop.Step work, RunningCalls calls) {
        watching = new Loop("outbox time limits", new DaemonThreadFactory("outbox-time-limits-"), calls::watch).start();
        Supplier<Loop> factory = () -> new Loop("outbox worker", workerThreads, work);
        newWorker = factory;
        for (int i = 0; i < workerCount; i++) {
            workers.add(factory.get());
        }
        workers.forEach(Loop::start);
    }

    /** The replaced one ends when its listener returns. */
    @Override
    public void replaceWorker(Thread thread) {
        workers.replaceAll(worker -> worker.runsOn(thread) ? replacementOf(worker) : worker);
    }

    private Loop replacementOf(Loop worker) {
        worker.endAfterStep();
        return Objects.requireNonNull(newWorker).get().start();
    }

    @Override
    public boolean isWorker() {
        return workers.stream().anyMatch(Loop::isCurrentThread);
    }

    @Override
    public void endWorkers(long deadline, Runnable beforeInterrupting) {
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

    @Override
    public void endSettlement(long deadline) {
        end(settling, Math.max(FORCED_END_NANOS, deadline - System.nanoTime()));
    }

    @Override
    public void endRenewal() {
        interruptAndEnd(renewing);
    }

    @Override
    public void endTimeLimits() {
        interruptAndEnd(watching);
    }

    private void interruptAndEnd(@Nullable Loop loop) {
        if (loop != null) {
            loop.interrupt();
        }
        end(loop, FORCED_END_NANOS);
    }

    @Override
    public void restoreInterrupt() {
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
