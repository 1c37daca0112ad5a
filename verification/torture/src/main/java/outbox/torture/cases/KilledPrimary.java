package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.Replication;
import outbox.torture.TortureCase;

/** The primary is killed under load and its standby promoted; the nodes find it by themselves. */
public final class KilledPrimary implements TortureCase {
    private static final Duration LAG = Duration.ofSeconds(1);

    private final Replication replication;
    private final boolean ordered;

    public KilledPrimary(Replication replication, boolean ordered) {
        this.replication = replication;
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return (isAsynchronous() ? "failover-async" : "failover-sync") + (ordered ? "-ordered" : "");
    }

    @Override
    public String what() {
        return "kill -9 of the primary, "
                + (isAsynchronous() ? "asynchronous standby " + LAG.toSeconds() + " s behind" : "synchronous standby")
                + (ordered ? ", ordered" : "");
    }

    private boolean isAsynchronous() {
        return replication == Replication.ASYNCHRONOUS;
    }

    @Override
    public boolean isQuick() {
        return !isAsynchronous() && !ordered;
    }

    @Override
    public boolean isOrdered() {
        return ordered;
    }

    @Override
    public Replication replication() {
        return replication;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.byDefault());
        arena.limitRecovery(cluster.leaseTime().plusSeconds(5));
        cluster.write();
        arena.pass(Duration.ofSeconds(arena.scaled(5, 2)));
        if (isAsynchronous()) {
            arena.database().pair().cutReplication();
            arena.pass(LAG);
        }
        arena.fault();
        arena.database().pair().primary().kill();
        long promoted = arena.failOver();
        arena.awaitRecovery(promoted, cluster.names());
        arena.pass(Duration.ofSeconds(arena.scaled(5, 1)));
        cluster.hush();
        arena.awaitEmpty();
    }
}
