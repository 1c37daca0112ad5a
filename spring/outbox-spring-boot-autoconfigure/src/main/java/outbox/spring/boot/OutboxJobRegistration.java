package outbox.spring.boot;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import outbox.xxljob.admin.JobHandlers;
import outbox.xxljob.admin.JobRegistration;
import outbox.xxljob.admin.NewJob;
import outbox.xxljob.admin.XxlJobAdmin;

/** Registers the jobs of all delivering outboxes at the XXL-Job admin, in the background. */
final class OutboxJobRegistration implements SmartLifecycle {
    private final XxlJobAdmin admin;
    private final String title;
    private final List<NewJob> jobs;
    private @Nullable JobRegistration registration; // guarded by this

    OutboxJobRegistration(XxlJobAdmin admin, OutboxXxlJobProperties properties, List<OutboxUnit> units) {
        this.admin = admin;
        this.title = properties.getTitle() == null ? admin.appName() : properties.getTitle();
        this.jobs = units.stream()
                .filter(unit -> unit.parts().delivers())
                .map(OutboxJobRegistration::prefix)
                .flatMap(prefix -> jobs(prefix, properties))
                .toList();
    }

    /** What stands in front of the handler names of an outbox. */
    static String prefix(OutboxUnit unit) {
        return unit.name().equals(OutboxUnit.SOLE) ? "" : unit.name();
    }

    private static Stream<NewJob> jobs(String prefix, OutboxXxlJobProperties properties) {
        String of = prefix.isEmpty() ? "" : " (" + prefix + ")";
        return Stream.of(
                new NewJob(
                        JobHandlers.name(prefix, JobHandlers.RECOVER),
                        "Outbox: recover" + of,
                        properties.getAuthor(),
                        properties.getRecoverInterval()),
                new NewJob(
                        JobHandlers.name(prefix, JobHandlers.WARN_FAILED),
                        "Outbox: failed-event warning" + of,
                        properties.getAuthor(),
                        properties.getWarnInterval()));
    }

    @Override
    public synchronized void start() {
        if (registration == null) {
            registration = JobRegistration.start(admin, title, jobs);
        }
    }

    @Override
    public synchronized void stop() {
        if (registration != null) {
            registration.close();
            registration = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return registration != null;
    }

    /** After the jobs can be run, and closed before them. */
    @Override
    public int getPhase() {
        return OutboxUnit.PHASE + 2;
    }
}
