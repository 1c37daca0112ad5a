package outbox.poller;

import java.time.Duration;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import outbox.util.Ticks;

/**
 * Lets one thread wait until a time that others may bring forward. Who asked for a later time than another is not
 * forgotten: it rings again then, at most a moment too late. Thread-safe.
 */
final class Alarm {
    /** Times this close together are one. */
    private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** The latest of more times are forgotten; what they were asked for is found at the next regular time. */
    private static final int MOST_TIMES = 500;

    private final LongSupplier ticks;
    private final long origin;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final TreeSet<Long> asked = new TreeSet<>(); // in moments after the origin; guarded by lock
    private volatile long ringsAt;
    private boolean stopped; // guarded by lock

    Alarm(LongSupplier ticks) {
        this.ticks = ticks;
        this.origin = ticks.getAsLong();
        this.ringsAt = origin;
    }

    /** Rings after {@code time}, too. Cheap if that is at once, and it was to ring at once anyway. */
    void bringForward(Duration time) {
        long at = after(time);
        boolean sooner = at - ringsAt < 0;
        if (!sooner && time.isZero()) {
            return;
        }
        lock.lock();
        try {
            if (!time.isZero()) {
                asked.add((at - origin + MOMENT_NANOS - 1) / MOMENT_NANOS);
                if (asked.size() > MOST_TIMES) {
                    asked.pollLast();
                }
            }
            if (at - ringsAt < 0) {
                ringsAt = at;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sets the next time, unless a sooner one was asked for. */
    void set(Duration time) {
        lock.lock();
        try {
            asked.headSet((ticks.getAsLong() - origin) / MOMENT_NANOS, true).clear();
            ringsAt = after(time);
            if (!asked.isEmpty() && origin + asked.first() * MOMENT_NANOS - ringsAt < 0) {
                ringsAt = origin + asked.first() * MOMENT_NANOS;
            }
        } finally {
            lock.unlock();
        }
    }

    private long after(Duration time) {
        return ticks.getAsLong() + Ticks.in(time);
    }

    /** Waits for the time. @return {@code false} if this was stopped */
    boolean await() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!stopped) {
                long left = ringsAt - ticks.getAsLong();
                if (left <= 0) {
                    return true;
                }
                long ignored = changed.awaitNanos(left);
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    void stop() {
        lock.lock();
        try {
            stopped = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
