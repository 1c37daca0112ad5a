package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;
import outbox.Outbox;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.util.FailureLog;

/**
 * Scheduled tasks of an outbox: polling by cron, alerts about dead events, purging handler progress. Polling at an
 * interval is done by the engine.
 */
final class RelaySchedule {
    private static final Logger LOG = System.getLogger(RelaySchedule.class.getName());

    private final List<Task> tasks = new ArrayList<>();
    private final List<Runnable> ends = new ArrayList<>();
    private final Outbox outbox;
    private @Nullable ThreadPoolTaskScheduler scheduler; // guarded by this

    RelaySchedule(Outbox outbox) {
        this.outbox = outbox;
    }

    private record Task(String what, Trigger trigger, Runnable work) {}

    /**
     * @param times the group of the properties {@code cron} and {@code interval}
     * @param cron takes precedence over the interval
     */
    void add(String what, PropertyGroup times, @Nullable String cron, Duration interval, Runnable work) {
        Trigger trigger = cron == null
                ? times.make("interval", interval, RelaySchedule::every)
                : times.make("cron", cron, CronTrigger::new);
        tasks.add(new Task(what, trigger, work));
    }

    /** Runs when the schedule has stopped. */
    void atEnd(Runnable end) {
        ends.add(end);
    }

    private static Trigger every(Duration interval) {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("it must be positive");
        }
        PeriodicTrigger trigger = new PeriodicTrigger(interval);
        trigger.setInitialDelay(interval);
        return trigger;
    }

    synchronized void start() {
        outbox.start();
        if (tasks.isEmpty()) {
            return;
        }
        ThreadPoolTaskScheduler own = new ThreadPoolTaskScheduler();
        own.setThreadNamePrefix("outbox-schedule-");
        own.setDaemon(true);
        own.setErrorHandler(failure -> LOG.log(Level.ERROR, "a scheduled task of the outbox failed", failure));
        own.initialize();
        for (Task task : tasks) {
            var unused = own.schedule(guarded(task), task.trigger());
        }
        scheduler = own;
    }

    private static Runnable guarded(Task task) {
        FailureLog failures = new FailureLog(LOG, Level.ERROR, "the scheduled task \"" + task.what() + "\"");
        return () -> {
            try {
                task.work().run();
                failures.succeeded();
            } catch (RuntimeException e) {
                failures.failed("could not " + task.what() + "; retrying at the next scheduled time", e);
            }
        };
    }

    synchronized void stop() {
        if (scheduler != null) {
            scheduler.shutdown();
            scheduler = null;
            ends.forEach(Runnable::run);
        }
    }
}
