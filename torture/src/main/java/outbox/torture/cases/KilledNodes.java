package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;

/** A random node is killed every second and started again. */
public final class KilledNodes implements TortureCase {
    private final boolean ordered;

    public KilledNodes(boolean ordered) {
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return ordered ? "kill-node-ordered" : "kill-node";
    }

    @Override
    public String what() {
        return "kill -9 of a random node every second" + (ordered ? ", ordered" : "");
    }

    @Override
    public boolean isQuick() {
        return true;
    }

    @Override
    public boolean isOrdered() {
        return ordered;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.busy());
        arena.limitRecovery(cluster.leaseTime().plusSeconds(1));
        cluster.write();
        arena.pass(Duration.ofSeconds(1));
        boolean[] coming = new boolean[cluster.size()];
        for (int i = 0; i < arena.scaled(10, 2); i++) {
            int victim = arena.random().nextInt(cluster.size());
            cluster.kill(victim);
            cluster.launchAgain(victim);
            coming[victim] = true;
            arena.pass(Duration.ofSeconds(1));
            for (int node = 0; node < coming.length; node++) {
                if (coming[node] && cluster.worker(node).isReady()) {
                    cluster.join(node);
                    coming[node] = false;
                }
            }
        }
        for (int node = 0; node < coming.length; node++) {
            if (coming[node]) {
                cluster.join(node);
            }
        }
        cluster.hush();
        arena.awaitEmpty();
    }
}
