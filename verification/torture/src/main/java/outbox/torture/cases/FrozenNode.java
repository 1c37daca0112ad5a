package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.WorkerProcess;

/** A node stands still for two leases, as under a long garbage collection or a moved virtual machine, and goes on. */
public final class FrozenNode implements TortureCase {
    private final boolean ordered;

    public FrozenNode(boolean ordered) {
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return ordered ? "freeze-node-ordered" : "freeze-node";
    }

    @Override
    public String what() {
        return "SIGSTOP of a node for two leases, then resume" + (ordered ? ", ordered" : "");
    }

    @Override
    public boolean isQuick() {
        return !ordered;
    }

    @Override
    public boolean isOrdered() {
        return ordered;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.busy());
        Duration frozen = cluster.leaseTime().multipliedBy(2);
        arena.limitRecovery(frozen.plus(cluster.leaseTime()).plusSeconds(1));
        cluster.write();
        for (int i = 0; i < arena.scaled(2, 1); i++) {
            arena.pass(Duration.ofSeconds(1));
            WorkerProcess victim = cluster.worker(i);
            long at = cluster.freezeBusy(i);
            cluster.struck(i, at);
            long still = System.nanoTime();
            arena.pass(frozen);
            long commits = arena.ledger().commitsBy(victim.name(), still, System.nanoTime());
            arena.expect(commits == 0, "a frozen node committed " + commits + " events");
            victim.thaw();
        }
        arena.pass(Duration.ofSeconds(1));
        cluster.hush();
        arena.awaitEmpty();
    }
}
