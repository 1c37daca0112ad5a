package outbox.listener;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.DeliveryTimeoutException;
import outbox.spi.MetricsExporter;
import outbox.util.Ticks;

/**
 * The calls of listeners that are running now, and the time limit of each. For the engine's own modules. Thread-safe.
 *
 * <h2>When a call reaches its time limit</h2>
 *
 * Its thread is interrupted and {@link Call#timedOut} decides the outcome. What the call does later is ignored:
 * {@link Call#end} returns {@code false}. If the thread has not returned a second later, {@link Call#abandoned} replaces
 * it. The thread stays behind until its call returns, if it ever does.
 *
 * <h2>When too many threads stay behind</h2>
 *
 * Each thread costs memory, so their number is limited. At the limit a listener that has such a thread is not called
 * again ({@link #isSuspended}) until one of its calls returns. Other listeners go on.
 *
 * <h2>Cost</h2>
 *
 * A call is one entry in a concurrent set. One thread looks at all of them now and then: at least sixty times within the
 * shortest time limit, but not more often than every 10 ms nor less often than every 10 s.
 */
public final class RunningCalls {
    private static final Logger LOG = System.getLogger(RunningCalls.class.getName());
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int LOOKS_PER_LIMIT = 60;
    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOG_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier ticks;
    private final MetricsExporter metrics;
    private final int abandonedLimit;
    private final Set<Call> running = ConcurrentHashMap.newKeySet();
    private final AtomicInteger abandoned = new AtomicInteger();
    private final ConcurrentMap<String, Integer> abandonedByListener = new ConcurrentHashMap<>();
    private volatile long shortestLimit = Long.MAX_VALUE;
    private volatile boolean interrupting; // some interrupted call has not returned yet
    private volatile @Nullable Thread watcher;
    private final QuietLog timeouts = new QuietLog();
    private final QuietLog suspensions = new QuietLog();

    /** @param abandonedLimit how many threads may stay behind before their listeners are suspended */
    public RunningCalls(LongSupplier ticks, MetricsExporter metrics, int abandonedLimit) {
        this.ticks = ticks;
        this.metrics = metrics;
        this.abandonedLimit = abandonedLimit;
    }

    private enum State {
        RUNNING,
        TIMED_OUT,
        ENDED
    }

    /** One call of a listener, with one event or several. */
    public abstract static class Call {
        private final String listener;
        private final long limitNanos;
        private @Nullable RunningCalls owner; // guarded by this, as all below
        private State state = State.RUNNING;
        private @Nullable Thread thread;
        private boolean threadAbandoned;
        private long startedAt;
        private long timedOutAt;

        /** @param timeLimit zero for none */
        protected Call(String listener, Duration timeLimit) {
            this.listener = listener;
            this.limitNanos = Ticks.in(timeLimit);
        }

        /** The time limit was reached, and the thread is about to be interrupted: whatever it throws then is due to this. */
        protected abstract void limitReached(DeliveryTimeoutException failure);

        /** The time limit was reached: decides the outcome. Called once at most, not on the call's thread. */
        protected abstract void timedOut(DeliveryTimeoutException failure);

        /** The thread did not return when it was interrupted: another one has to do its work. */
        protected abstract void abandoned(Thread abandonedThread);

        /** The listener has returned and its stage is not complete: the call goes on without a thread. */
        public final synchronized void withoutThread() {
            if (thread != null) {
                leaveThread();
            }
        }

        private void leaveThread() {
            thread = null;
            if (state == State.TIMED_OUT) {
                boolean ignored = Thread.interrupted(); // it was meant for this call
            }
            if (threadAbandoned && owner != null) {
                owner.returned(listener);
            }
        }

        /** @return {@code true} if the call ended within its time limit: its outcome is the caller's to decide, once */
        public final boolean end() {
            long late;
            RunningCalls calls;
            synchronized (this) {
                if (state == State.ENDED) {
                    return false;
                }
                boolean inTime = state == State.RUNNING;
                calls = owner;
                if (calls != null) {
                    calls.running.remove(this);
                }
                if (thread != null) {
                    leaveThread();
                }
                state = State.ENDED;
                if (inTime || calls == null) {
                    return inTime;
                }
                late = calls.ticks.getAsLong() - timedOutAt;
            }
            calls.endedLate(listener, late);
            return false;
        }

        /** Whether the thread of this call was replaced; it must take no more work. */
        public final synchronized boolean isAbandoned() {
            return threadAbandoned;
        }
    }

    /** From now on the call's time runs, on the caller's thread. */
    public void begin(Call call) {
        synchronized (call) {
            call.owner = this;
            call.thread = Thread.currentThread();
            if (call.limitNanos <= 0) {
                return;
            }
            call.startedAt = ticks.getAsLong();
        }
        running.add(call);
        if (call.limitNanos < shortestLimit) {
            shorten(call.limitNanos);
        }
    }

    private synchronized void shorten(long limitNanos) {
        shortestLimit = Math.min(shortestLimit, limitNanos);
        LockSupport.unpark(watcher);
    }

    /** Whether this listener has left so many threads behind that it must not be called now. */
    public boolean isSuspended(String listener) {
        if (abandoned.get() < abandonedLimit || !abandonedByListener.containsKey(listener)) {
            return false;
        }
        if (suspensions.suppressedIfDue(ticks.getAsLong()) >= 0) {
            LOG.log(
                    Level.ERROR,
                    "listener '" + listener + "' is not called: " + abandoned.get()
                            + " calls have not returned since their time limit, the most that are tolerated, and "
                            + abandonedByListener.getOrDefault(listener, 0)
                            + " of them are its own; its events wait in the table until one returns. Find out from the"
                            + " stacks in this log what they wait for, then restart the process");
        }
        return true;
    }

    /** One turn of the thread that enforces the limits. */
    public boolean watch() throws InterruptedException {
        watcher = Thread.currentThread();
        LockSupport.parkNanos(this, pauseNanos());
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        look();
        return true;
    }

    private long pauseNanos() {
        long pause = Math.max(SHORTEST_PAUSE_NANOS, Math.min(LONGEST_PAUSE_NANOS, shortestLimit / LOOKS_PER_LIMIT));
        return interrupting ? Math.min(pause, GRACE_NANOS / 4) : pause;
    }

    /** Enforces the limits of all running calls, on the caller's thread. */
    public void look() {
        long now = ticks.getAsLong();
        boolean waits = false;
        for (Call call : running) {
            try {
                waits |= look(call, now);
            } catch (Throwable e) { // the others have limits too
                LOG.log(Level.ERROR, "could not enforce the time limit of listener '" + call.listener + "'", e);
            }
        }
        interrupting = waits;
    }

    /** @return whether its thread was interrupted and has not returned */
    private boolean look(Call call, long now) {
        DeliveryTimeoutException failure;
        synchronized (call) {
            if (call.state == State.ENDED) {
                return false;
            }
            if (call.state == State.TIMED_OUT) {
                return replace(call, now);
            }
            if (now - call.startedAt < call.limitNanos) {
                return false;
            }
            failure = timeOut(call, now);
        }
        metrics.incrementTimeouts(call.listener);
        metrics.adjustHungCalls(call.listener, 1);
        int suppressed = timeouts.suppressedIfDue(now);
        if (suppressed >= 0) {
            LOG.log(
                    Level.WARNING,
                    failure.getMessage() + (suppressed == 0 ? "" : " (" + suppressed + " more since the last report)"),
                    failure);
        }
        call.timedOut(failure);
        return true;
    }

    private static DeliveryTimeoutException timeOut(Call call, long now) {
        Thread thread = call.thread;
        Duration ran = Duration.ofNanos(now - call.startedAt);
        call.state = State.TIMED_OUT;
        call.timedOutAt = now;
        String message = "listener '" + call.listener + "' has not finished after " + ran + "; its time limit is "
                + Duration.ofNanos(call.limitNanos) + ". The attempt counts as failed";
        if (thread == null) {
            DeliveryTimeoutException failure = new DeliveryTimeoutException(
                    message + "; its stage is cancelled, and ignored if it completes later", new StackTraceElement[0]);
            call.limitReached(failure);
            return failure;
        }
        DeliveryTimeoutException failure = new DeliveryTimeoutException(
                message + "; thread " + thread.getName() + " is interrupted, the trace is what it was doing",
                thread.getStackTrace());
        call.limitReached(failure);
        thread.interrupt(); // while it cannot leave the call
        return failure;
    }

    private boolean replace(Call call, long now) {
        Thread thread = call.thread;
        if (thread == null) {
            running.remove(call); // there is nothing more to enforce
            return false;
        }
        if (now - call.timedOutAt < GRACE_NANOS) {
            return true;
        }
        running.remove(call);
        call.threadAbandoned = true;
        abandonedByListener.merge(call.listener, 1, Integer::sum);
        LOG.log(
                Level.WARNING,
                "listener '" + call.listener + "' ignores interruption; another thread takes the place of "
                        + thread.getName() + ", which stays behind until the call returns. Threads left behind: "
                        + abandoned.incrementAndGet() + " of at most " + abandonedLimit);
        call.abandoned(thread);
        return false;
    }

    private void returned(String listener) {
        abandoned.decrementAndGet();
        abandonedByListener.computeIfPresent(listener, (name, count) -> count == 1 ? null : count - 1);
    }

    private void endedLate(String listener, long lateNanos) {
        metrics.adjustHungCalls(listener, -1);
        LOG.log(
                lateNanos < GRACE_NANOS ? Level.DEBUG : Level.INFO,
                "a call of listener '" + listener + "' ended " + Duration.ofNanos(lateNanos)
                        + " after its time limit; the attempt counted as failed then, so this is ignored");
    }

    /** Lets a line through now and then. */
    private static final class QuietLog {
        private long quietUntil; // guarded by this
        private int suppressed = -1; // since the last line; -1 before the first; guarded by this

        /** @return how many lines were suppressed since the last one; -1 if this one is suppressed too */
        synchronized int suppressedIfDue(long now) {
            if (suppressed >= 0 && now - quietUntil < 0) {
                suppressed++;
                return -1;
            }
            int before = Math.max(0, suppressed);
            suppressed = 0;
            quietUntil = now + LOG_EVERY_NANOS;
            return before;
        }
    }
}
