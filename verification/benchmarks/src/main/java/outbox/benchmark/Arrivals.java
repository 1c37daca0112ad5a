package outbox.benchmark;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Counts deliveries, and waits for the last one to be recorded. Thread-safe. */
public final class Arrivals implements Runnable {
    private static final Duration PATIENCE_WITHOUT_PROGRESS = Duration.ofSeconds(60);
    private static final long LOOK_EVERY_NANOS = 2_000_000;

    private final AtomicLong count = new AtomicLong();
    private volatile long firstAt;

    @Override
    public void run() {
        if (count.getAndIncrement() == 0) {
            firstAt = System.nanoTime();
        }
    }

    public long count() {
        return count.get();
    }

    /** When the first one came, by {@link System#nanoTime()}. */
    public long firstAt() {
        return firstAt;
    }

    /**
     * Waits until {@code events} have arrived and all are recorded as processed.
     *
     * @return when that was, by {@link System#nanoTime()}
     * @throws IllegalStateException if nothing moves for a minute, or more arrived than were sent
     */
    public long awaitAll(long events, Contender.Engine engine) throws Exception {
        long last = -1;
        long movedAt = System.nanoTime();
        while (count.get() < events || engine.unsettled() > 0) {
            if (count.get() != last) {
                last = count.get();
                movedAt = System.nanoTime();
            } else if (System.nanoTime() - movedAt > PATIENCE_WITHOUT_PROGRESS.toNanos()) {
                throw new IllegalStateException("stuck: " + last + " of " + events + " events arrived, "
                        + engine.unsettled() + " are not settled");
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
        long doneAt = System.nanoTime();
        if (count.get() != events) {
            throw new IllegalStateException(count.get() + " deliveries of " + events + " events");
        }
        return doneAt;
    }
}
