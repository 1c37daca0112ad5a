package outbox.xxljob;

import java.util.List;
import java.util.Objects;
import outbox.OutboxRelay;
import outbox.dead.FailedEvents;
import outbox.xxljob.admin.JobHandlers;

/**
 * The work of an {@link OutboxRelay} as handlers of this process's XXL-Job executor, in bean mode:
 *
 * <ul>
 *   <li>{@value #RECOVER} delivers all that is due: late events, retries, and what dead nodes left.
 *   <li>{@value #RELAY} delivers one batch; the job parameter is its size, {@value #DEFAULT_BATCH_SIZE} if there is none.
 *   <li>{@value #WARN_FAILED} tells the outbox's alert of dead events. With the job parameter {@value #ALARM} its run counts
 *       as failed while there are any, so that XXL-Job sends its own alarm.
 * </ul>
 *
 * <p>What a job did is in its log and in the message of its run. What it throws is reported as failure, with the message.
 * Any number of nodes may run them at once. Handlers may be registered before the executor starts or after. Thread-safe.
 *
 * <pre>{@code
 * OutboxJobs jobs = OutboxJobs.register(outbox.relay());
 * }</pre>
 */
public final class OutboxJobs implements AutoCloseable {
    public static final String RECOVER = JobHandlers.RECOVER;
    public static final String RELAY = JobHandlers.RELAY;
    public static final String WARN_FAILED = JobHandlers.WARN_FAILED;

    /** Parameter of {@value #WARN_FAILED}. */
    public static final String ALARM = "alarm";

    public static final int DEFAULT_BATCH_SIZE = 100;

    private final List<OutboxJob> jobs;

    private OutboxJobs(List<OutboxJob> jobs) {
        this.jobs = jobs;
    }

    /** Registers the jobs under their own names. */
    public static OutboxJobs register(OutboxRelay relay) {
        return register("", relay);
    }

    /**
     * Registers the jobs of one of several outboxes.
     *
     * @param outbox its name, which goes in front: {@code orders} makes {@code ordersOutboxRecover}
     */
    public static OutboxJobs register(String outbox, OutboxRelay relay) {
        Objects.requireNonNull(relay, "relay");
        List<OutboxJob> jobs = List.of(
                new OutboxJob(JobHandlers.name(outbox, RECOVER), parameter -> done(relay.recoverOnce())),
                new OutboxJob(
                        JobHandlers.name(outbox, RELAY), parameter -> done(relay.relayOnce(batchSize(parameter)))),
                new OutboxJob(JobHandlers.name(outbox, WARN_FAILED), parameter -> {
                    boolean alarm = isAlarm(parameter);
                    return warned(relay.warnFailedOnce(), alarm);
                }));
        jobs.forEach(OutboxJob::register);
        return new OutboxJobs(jobs);
    }

    private static int batchSize(String parameter) {
        if (parameter.isEmpty()) {
            return DEFAULT_BATCH_SIZE;
        }
        try {
            int size = Integer.parseInt(parameter);
            if (size > 0) {
                return size;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "the job parameter is the size of the batch, a positive whole number, or empty for "
                        + DEFAULT_BATCH_SIZE + "; it is '" + parameter + "'");
    }

    private static boolean isAlarm(String parameter) {
        if (parameter.isEmpty() || parameter.equals(ALARM)) {
            return parameter.equals(ALARM);
        }
        throw new IllegalArgumentException("the job parameter is '" + ALARM + "' or empty; it is '" + parameter + "'");
    }

    private static OutboxJob.Report done(OutboxRelay.Result result) {
        return new OutboxJob.Report(
                result.taken() + " event(s) were due: " + result.delivered() + " delivered, " + result.retried()
                        + " to be retried, " + result.dead() + " dead",
                false);
    }

    private static OutboxJob.Report warned(FailedEvents failed, boolean alarm) {
        return new OutboxJob.Report(
                failed.dead() == 0 ? "no event is dead" : failed.dead() + " event(s) are dead and wait for a person",
                alarm && failed.dead() > 0);
    }

    /** From now on these jobs fail, and say that the outbox is closed. XXL-Job has no way to take a handler back. */
    @Override
    public void close() {
        jobs.forEach(OutboxJob::close);
    }
}
