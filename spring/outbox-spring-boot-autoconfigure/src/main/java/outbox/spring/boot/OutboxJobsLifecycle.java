package outbox.spring.boot;

import java.util.List;
import org.springframework.context.SmartLifecycle;
import outbox.xxljob.OutboxJobs;

/** The XXL-Job jobs of all delivering outboxes; closed just before the outboxes. */
final class OutboxJobsLifecycle implements SmartLifecycle {
    private final List<OutboxUnit> units;
    private List<OutboxJobs> jobs; // guarded by this
    private volatile boolean running;

    /** Registers the jobs early: the executor may be called before lifecycles start. */
    OutboxJobsLifecycle(List<OutboxUnit> units) {
        this.units = units.stream().filter(unit -> unit.parts().delivers()).toList();
        this.jobs = register();
    }

    private List<OutboxJobs> register() {
        return units.stream()
                .map(unit -> OutboxJobs.register(
                        unit.name().equals(OutboxUnit.SOLE) ? "" : unit.name(),
                        unit.outbox().relay()))
                .toList();
    }

    @Override
    public synchronized void start() {
        if (jobs.isEmpty()) {
            jobs = register();
        }
        running = true;
    }

    @Override
    public synchronized void stop() {
        running = false;
        jobs.forEach(OutboxJobs::close);
        jobs = List.of();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return OutboxUnit.PHASE + 1;
    }
}
