package outbox.control.source;

import java.util.List;
import java.util.function.Supplier;
import outbox.xxljob.admin.JobHandlers;
import outbox.xxljob.admin.XxlJobAdmin;
import outbox.xxljob.admin.XxlJobAdminException;

/** The jobs of one outbox at an XXL-Job admin; other jobs of the same executor are not shown. Thread-safe. */
public final class XxlJobs implements ScheduledJobs {
    private final XxlJobAdmin admin;
    private final List<String> handlers;

    private XxlJobs(XxlJobAdmin admin, List<String> handlers) {
        this.admin = admin;
        this.handlers = handlers;
    }

    /** @param outbox the name in front of its job handlers; empty if the executor has one outbox */
    public static XxlJobs of(XxlJobAdmin admin, String outbox) {
        return new XxlJobs(admin, JobHandlers.of(outbox));
    }

    @Override
    public List<Job> list() {
        return answered(() -> admin.jobs().stream()
                .filter(job -> handlers.contains(job.handler()))
                .map(job -> new Job(
                        String.valueOf(job.id()),
                        job.handler(),
                        job.description(),
                        job.author(),
                        job.schedule(),
                        job.started(),
                        job.lastRun(),
                        job.nextRun()))
                .toList());
    }

    @Override
    public void perform(Act act, Job job) {
        long id = Long.parseLong(job.id());
        answered(() -> {
            switch (act) {
                case START -> admin.start(id);
                case STOP -> admin.stop(id);
                case TRIGGER -> admin.trigger(id);
            }
            return id;
        });
    }

    private static <T> T answered(Supplier<T> call) {
        try {
            return call.get();
        } catch (XxlJobAdminException e) {
            throw new UnavailableException(String.valueOf(e.getMessage()), e);
        }
    }
}
