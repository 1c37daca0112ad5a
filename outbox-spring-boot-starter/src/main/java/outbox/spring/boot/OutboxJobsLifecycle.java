package outbox.spring.boot;

import java.util.List;
import org.springframework.context.SmartLifecycle;
import outbox.xxljob.OutboxJobs;

/** The XXL-Job jobs of all outboxes that deliver, until just before these close. */
final class OutboxJobsLifecycle implements SmartLifecycle {
    private final List<OutboxJobs> jobs;
    private volatile boolean running;

    private OutboxJobsLifecycle(List<OutboxJobs> jobs) {
        this.jobs = jobs;
    }

    static OutboxJobsLifecycle register(List<OutboxUnit> units) {
        return new OutboxJobsLifecycle(units.stream()
                .filter(unit -> unit.parts().delivers())
                .map(unit -> OutboxJobs.register(
                        unit.name().equals(OutboxUnit.SOLE) ? "" : unit.name(),
                        unit.outbox().relay()))
                .toList());
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        jobs.forEach(OutboxJobs::close);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** As for {@link OutboxUnit}: what was closed does not begin again. */
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return OutboxUnit.PHASE + 1;
    }
}
