package outbox.dispatch;

/**
 * Who runs the {@link Steps} of a dispatcher: threads of its own ({@link WorkerPool}), threads that many databases share
 * ({@link SharedThreads}), or nobody ({@link #NONE}), which is for a simulation that takes each step itself. A dispatcher
 * makes its threads first and starts them last, when all its parts are there. Thread-safe.
 */
interface Threads {
    Threads NONE = new Threads() {};

    /** Begins to run these steps. */
    default void start(Steps steps) {}

    /** An event can be taken from a queue. */
    default void workAvailable() {}

    /** An outcome can be written. */
    default void outcomeWaiting() {}

    /** The listener that runs on this worker does not return: another thread takes its place. */
    default void replaceWorker(Thread thread) {}

    /** Whether the caller is a worker that delivers an event of this dispatcher. */
    default boolean isWorker() {
        return false;
    }

    /**
     * Waits until the workers have nothing left to do; at the deadline, interrupts them.
     *
     * @param deadline in {@link System#nanoTime()}
     * @param beforeInterrupting runs before the first worker is interrupted
     */
    default void endWorkers(long deadline, Runnable beforeInterrupting) {}

    /** Enforces time limits no longer. */
    default void endTimeLimits() {}

    /** Waits until all outcomes are written, at least for a second. */
    default void endSettlement(long deadline) {}

    /** Renews no more leases. */
    default void endRenewal() {}

    /** Passes on an interruption of the thread that waited in one of the methods above. */
    default void restoreInterrupt() {}
}
