package outbox.xxljob;

import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.executor.XxlJobExecutor;
import com.xxl.job.core.handler.IJobHandler;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** One job: runs the work and tells the admin what came of it. */
final class OutboxJob extends IJobHandler {
    private static final Logger LOG = System.getLogger(OutboxJob.class.getName());

    private final String name;
    private final Work work;
    private volatile boolean closed;

    /** @param work given the job parameter, without spaces around it */
    OutboxJob(String name, Work work) {
        this.name = name;
        this.work = work;
    }

    @FunctionalInterface
    interface Work {
        Report run(String parameter);
    }

    /** What is told to the admin. */
    record Report(String text, boolean failure) {}

    /** The executor keeps its handlers for the whole process, so a second outbox takes the name of the first. */
    void register() {
        IJobHandler before = XxlJobExecutor.loadJobHandler(name);
        if (before != null && !(before instanceof OutboxJob job && job.closed)) {
            LOG.log(
                    Level.WARNING,
                    "job handler " + name + " was registered before, as " + before + "; from now on it is another one."
                            + " Give each outbox of a process a name of its own: OutboxJobs.register(name, relay)");
        }
        XxlJobExecutor.registryJobHandler(name, this);
    }

    void close() {
        closed = true;
    }

    @Override
    public void execute() {
        try {
            if (closed) {
                throw new IllegalStateException("the outbox of job " + name + " is closed");
            }
            Report report = work.run(parameter(XxlJobHelper.getJobParam()));
            XxlJobHelper.log("{}", report.text());
            if (report.failure()) {
                XxlJobHelper.handleFail(report.text());
            } else {
                XxlJobHelper.handleSuccess(report.text());
            }
        } catch (RuntimeException e) {
            XxlJobHelper.log(e);
            XxlJobHelper.handleFail(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private static String parameter(@Nullable String given) {
        return given == null ? "" : given.strip();
    }

    @Override
    public String toString() {
        return "OutboxJob[" + name + "]";
    }
}
