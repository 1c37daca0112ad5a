package outbox.xxljob.admin;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import outbox.util.DaemonThreadFactory;

/**
 * Registers the executor group and the jobs of an application at the admin, once, from a thread of its own. What exists is
 * left as it is, so that changes made in the admin survive a restart. An admin that is away is asked again at growing
 * intervals. Several nodes may register at the same time: each looks again after it added something, and the job with the
 * lowest id stays.
 */
public final class JobRegistration implements AutoCloseable {
    public static final Duration DEFAULT_RECOVER_INTERVAL = Duration.ofSeconds(30);

    public static final Duration DEFAULT_WARN_INTERVAL = Duration.ofMinutes(2);
    public static final Duration DEFAULT_FIRST_RETRY = Duration.ofSeconds(5);
    public static final Duration DEFAULT_LONGEST_RETRY = Duration.ofMinutes(5);

    private static final Logger LOG = System.getLogger(JobRegistration.class.getName());

    private final XxlJobAdmin admin;
    private final String title;
    private final List<NewJob> jobs;
    private final Duration firstRetry;
    /** Handlers whose jobs this node added, perhaps beside other nodes; only used by its thread. */
    private final Set<String> added = new HashSet<>();

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private JobRegistration(XxlJobAdmin admin, String title, List<NewJob> jobs, Duration firstRetry) {
        this.admin = Objects.requireNonNull(admin, "admin");
        this.title = Objects.requireNonNull(title, "title");
        this.jobs = List.copyOf(jobs);
        this.firstRetry = firstRetry;
        this.thread = new DaemonThreadFactory("outbox-xxl-job-registration-").newThread(this::run);
    }

    /** @param title of the executor group, if it has to be created */
    public static JobRegistration start(XxlJobAdmin admin, String title, List<NewJob> jobs) {
        return start(admin, title, jobs, DEFAULT_FIRST_RETRY);
    }

    /** @param firstRetry how long to wait before the second attempt; later ones wait longer */
    public static JobRegistration start(XxlJobAdmin admin, String title, List<NewJob> jobs, Duration firstRetry) {
        JobRegistration registration = new JobRegistration(admin, title, jobs, firstRetry);
        registration.thread.start();
        return registration;
    }

    private void run() {
        Duration pause = firstRetry;
        try {
            while (!isRegistered(pause)) {
                if (closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
                Duration longer = pause.multipliedBy(2);
                pause = longer.compareTo(DEFAULT_LONGEST_RETRY) > 0 ? DEFAULT_LONGEST_RETRY : longer;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isRegistered(Duration pause) {
        try {
            register();
            return true;
        } catch (RuntimeException e) { // an answer in a form nobody expected, too
            if (closed.getCount() > 0) {
                LOG.log(
                        Level.WARNING,
                        "could not register the jobs of executor " + admin.appName() + ": " + e.getMessage()
                                + "; trying again in " + pause.toMillis() + " ms, the application goes on");
            }
            return false;
        }
    }

    private void register() {
        List<Long> groups = admin.groups();
        if (groups.isEmpty()) {
            admin.addGroup(title);
            groups = admin.groups();
            if (groups.isEmpty()) {
                throw new XxlJobAdminException("the admin does not list the executor group that was just created");
            }
            LOG.log(
                    Level.INFO,
                    "registered executor group " + admin.appName() + " (" + title + ") at the XXL-Job admin");
        }
        long group = groups.get(0);
        for (NewJob job : jobs) {
            register(group, job);
        }
    }

    private void register(long group, NewJob job) {
        List<AdminJob> known = withHandler(group, job);
        if (known.isEmpty()) {
            added.add(job.handler());
            admin.add(group, job);
            known = withHandler(group, job);
            if (known.isEmpty()) {
                throw new XxlJobAdminException(
                        "the admin does not list job " + job.handler() + ", which was just added");
            }
        } else if (!added.contains(job.handler())) {
            if (known.stream().noneMatch(AdminJob::started)) {
                LOG.log(
                        Level.WARNING,
                        "job " + job.handler()
                                + " is stopped at the XXL-Job admin and stays so; start it there or in the"
                                + " control center");
            }
            return;
        }
        admin.start(known.get(0).id()); // first: a job that is left stopped stays so
        known.stream().skip(1).filter(other -> !other.started()).forEach(other -> remove(group, job, other));
        LOG.log(
                Level.INFO,
                "registered job " + job.handler() + " at the XXL-Job admin, every "
                        + job.interval().toSeconds() + " s");
    }

    /** Another node may have removed it first. */
    private void remove(long group, NewJob job, AdminJob duplicate) {
        try {
            admin.remove(duplicate.id());
        } catch (XxlJobAdminException e) {
            if (withHandler(group, job).stream().anyMatch(known -> known.id() == duplicate.id())) {
                throw e;
            }
        }
    }

    private List<AdminJob> withHandler(long group, NewJob job) {
        return admin.jobs(group).stream()
                .filter(known -> known.handler().equals(job.handler()))
                .toList();
    }

    /** Stops trying. What is registered stays. */
    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }
}
