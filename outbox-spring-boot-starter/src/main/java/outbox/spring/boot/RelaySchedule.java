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

/**
 * What an outbox does from time to time: read the table by cron, warn of dead events, forget what handlers consumed. A
 * poll at an interval is no part of it; the engine does that better by itself.
 */
final class RelaySchedule {
    private static final Logger LOG = System.getLogger(RelaySchedule.class.getName());

    private final List<Task> tasks = new ArrayList<>();
    private final Outbox outbox;
    private @Nullable ThreadPoolTaskScheduler scheduler; // guarded by this

    RelaySchedule(Outbox outbox) {
        this.outbox = outbox;
    }

    private record Task(String what, Trigger trigger, Runnable work) {}

    /** @param cron goes before the interval */
    RelaySchedule every(String what, @Nullable String cron, Duration interval, Runnable work) {
        Trigger trigger;
        if (cron == null) {
            if (interval.isNegative() || interval.isZero()) {
                throw new IllegalArgumentException(
                        "the interval to " + what + " must be positive, not " + interval + "; see outbox.*.interval");
            }
            PeriodicTrigger periodic = new PeriodicTrigger(interval);
            periodic.setInitialDelay(interval);
            trigger = periodic;
        } else {
            trigger = new CronTrigger(cron);
        }
        tasks.add(new Task(what, trigger, work));
        return this;
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
        return () -> {
            try {
                task.work().run();
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "could not " + task.what() + "; tried again at the next time", e);
            }
        };
    }

    synchronized void stop() {
        if (scheduler != null) {
            scheduler.shutdown();
            scheduler = null;
        }
    }
}
