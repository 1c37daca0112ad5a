package outbox.util;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Repeats a step on a thread of its own until the step says it is over. Whatever a step throws, an {@link Error}
 * included, is logged, and the next one runs after a short pause: a loop of the engine does not die of one bad event, nor
 * of an interrupt that was meant for a listener and came too late.
 */
public final class Loop {
    private static final Logger LOG = System.getLogger(Loop.class.getName());
    private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String name;
    private final Step step;
    private final FailureLog failures;
    private final Thread thread;
    private volatile boolean ending;
    private volatile boolean lastStep;

    /** One turn of the loop. */
    @FunctionalInterface
    public interface Step {
        /** @return whether there is a next turn */
        boolean run() throws InterruptedException;
    }

    /** Creates the thread; {@link #start()} starts it. */
    public Loop(String name, ThreadFactory threads, Step step) {
        this.name = Objects.requireNonNull(name, "name");
        this.step = Objects.requireNonNull(step, "step");
        this.failures = new FailureLog(LOG, Level.ERROR, name);
        this.thread = threads.newThread(this::repeat);
    }

    public Loop start() {
        thread.start();
        return this;
    }

    public boolean isAlive() {
        return thread.isAlive();
    }

    /** Ends the loop: interrupts whatever the step waits for. */
    public void interrupt() {
        ending = true;
        thread.interrupt();
    }

    /** Ends the loop when the step that is running returns. */
    public void endAfterStep() {
        lastStep = true;
    }

    /** @return whether the loop ended within the time */
    public boolean awaitEnd(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, nanos));
        return !thread.isAlive();
    }

    public boolean isCurrentThread() {
        return runsOn(Thread.currentThread());
    }

    public boolean runsOn(Thread other) {
        return other == thread;
    }

    private void repeat() {
        boolean goOn = true;
        while (goOn && !lastStep) {
            try {
                goOn = step.run();
                failures.succeeded();
            } catch (InterruptedException e) {
                goOn = !ending;
            } catch (Throwable e) { // an Error of one turn must not end the loop
                report(e);
                LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
            }
        }
    }

    private void report(Throwable failure) {
        try {
            failures.failed(name + " failed in one turn and goes on with the next", failure);
        } catch (Throwable ignored) { // out of memory may strike the logging too; going on matters more
            Thread.onSpinWait();
        }
    }
}
