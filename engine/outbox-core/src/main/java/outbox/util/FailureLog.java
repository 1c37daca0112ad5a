package outbox.util;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Logs a failure that may repeat itself: the first one with its stack trace, the same again as a count at growing
 * intervals (a minute, 5 minutes, 15 minutes, an hour), and one line when it is over. A database that is away for a night
 * does not fill the disk. Thread-safe.
 *
 * <p>What works and fails in turn is one outage, until it has not failed for a minute. A failure of another kind (by the
 * classes and SQL states of its causes) has a trace of its own, up to {@value #MOST_KINDS} in one outage.
 */
public final class FailureLog {
    private static final long[] PAUSES = {
        TimeUnit.MINUTES.toNanos(1),
        TimeUnit.MINUTES.toNanos(5),
        TimeUnit.MINUTES.toNanos(15),
        TimeUnit.HOURS.toNanos(1)
    };
    private static final int MOST_KINDS = 5;
    private static final int MOST_CAUSES = 10;
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final Level level;
    private final String what;
    private final LongSupplier ticks;
    private volatile boolean failing;
    private boolean reported; // since it last worked; guarded by this, as all below
    private final Set<String> kinds = new HashSet<>(); // of this outage
    private int pauses; // of this outage, with the one that lasts now
    private long failures; // of this outage
    private long firstAt;
    private long lastAt;
    private long loggedAt;

    /**
     * @param level of the failures; that it works again is logged at INFO
     * @param what the subject of the line that says that it works again
     */
    public FailureLog(Logger log, Level level, String what) {
        this(log, level, what, System::nanoTime);
    }

    /** @param ticks in nanoseconds, see {@link Ticks} */
    public FailureLog(Logger log, Level level, String what, LongSupplier ticks) {
        this.log = Objects.requireNonNull(log, "log");
        this.level = Objects.requireNonNull(level, "level");
        this.what = Objects.requireNonNull(what, "what");
        this.ticks = Objects.requireNonNull(ticks, "ticks");
    }

    /** @param message what failed, and what happens next */
    public synchronized void failed(String message, Throwable failure) {
        long now = ticks.getAsLong();
        if (pauses > 0 && !failing && now - lastAt >= QUIET_NANOS) {
            kinds.clear();
            pauses = 0;
        }
        if (pauses == 0) {
            failures = 0;
            firstAt = now;
        }
        failing = true;
        failures++;
        lastAt = now;
        boolean due = pauses == 0 || now - loggedAt >= PAUSES[Math.min(pauses, PAUSES.length) - 1];
        if (kinds.size() < MOST_KINDS && kinds.add(kindOf(failure))) {
            log.log(level, message, failure);
        } else if (due) {
            log.log(level, message + "; failed " + failures + " times in " + since(now) + ", last: " + failure);
        } else {
            return;
        }
        reported = true;
        if (due) {
            pauses++;
            loggedAt = now;
        }
    }

    private static String kindOf(Throwable failure) {
        StringBuilder kind = new StringBuilder();
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < MOST_CAUSES; depth++) {
            kind.append(cause.getClass().getName());
            if (cause instanceof SQLException sql) {
                kind.append(sql.getSQLState());
            }
            cause = cause.getCause();
        }
        return kind.toString();
    }

    /** Cheap unless the last time failed. */
    public void succeeded() {
        if (failing) {
            recovered();
        }
    }

    private synchronized void recovered() {
        if (failing && reported) {
            log.log(Level.INFO, what + " works again after " + failures + " failure(s) in " + since(ticks.getAsLong()));
            reported = false;
        }
        failing = false;
    }

    private Duration since(long now) {
        return Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(now - firstAt));
    }
}
