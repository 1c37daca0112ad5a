package outbox.poller;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import outbox.util.Ticks;

/** Lets one thread wait until a time that others may bring forward. Thread-safe. */
final class Alarm {
    private final LongSupplier ticks;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile long ringsAt;
    private boolean stopped; // guarded by lock

    Alarm(LongSupplier ticks) {
        this.ticks = ticks;
        this.ringsAt = ticks.getAsLong();
    }

    /** Rings after {@code time}, unless it was to ring sooner. Cheap if it was. */
    void bringForward(Duration time) {
        long at = after(time);
        if (at - ringsAt >= 0) {
            return;
        }
        lock.lock();
        try {
            if (at - ringsAt < 0) {
                ringsAt = at;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sets the next time; what is asked for from now on can only bring it forward. */
    void set(Duration time) {
        lock.lock();
        try {
            ringsAt = after(time);
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
