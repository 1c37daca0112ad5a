package outbox.torture.cases;

import java.time.Duration;
import java.util.Collections;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.Version;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** As a deployment does it: under load each node is ended in an orderly way and started again. */
public final class RollingRestart implements TortureCase {
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final boolean ordered;

    public RollingRestart(boolean ordered) {
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return "rolling-restart" + (ordered ? "-ordered" : "");
    }

    @Override
    public String what() {
        return "rolling restart of all nodes under load" + (ordered ? ", ordered" : "");
    }

    @Override
    public boolean isOrdered() {
        return ordered;
    }

    @Override
    public void run(Arena arena) throws Exception {
        NodeSettings small = arena.undisturbed()
                .with(Setting.LEASE_MS, 30_000)
                .with(Setting.WORKERS, 2)
                .with(Setting.POOL, 4)
                .with(Setting.IDLE, 1)
                .with(Setting.WRITERS, 1)
                .with(Setting.RATE, ordered ? 10 : 20)
                .with(Setting.LISTENER_MS, 10)
                .with(Setting.DRAIN_MS, DRAIN.toMillis());
        Cluster cluster = arena.cluster(Collections.nCopies(arena.scaled(8, 3), small), "-Xmx64m");
        cluster.write();
        for (int node = 0; node < cluster.size(); node++) {
            arena.pass(Duration.ofSeconds(1));
            cluster.replace(node, Version.TODAY, DRAIN);
        }
        arena.pass(Duration.ofSeconds(1));
        cluster.hush();
        arena.awaitEmpty();
        arena.limitWait(Duration.ofSeconds(10)); // a third of the lease: nothing waits for one to expire
    }
}
