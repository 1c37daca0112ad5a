package outbox.torture.cases;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
        Set<Integer> coming = new HashSet<>();
        int kills = arena.scaled(10, 2);
        while (kills > 0) {
            // Recovery is promised while a node lives: the last one is left alone until another is back.
            List<Integer> victims = new ArrayList<>(List.of(0, 1, 2));
            victims.removeAll(coming);
            if (victims.size() > 1) {
                int victim = victims.get(arena.random().nextInt(victims.size()));
                cluster.killBusy(victim);
                cluster.launchAgain(victim);
                coming.add(victim);
                kills--;
            }
            arena.pass(Duration.ofSeconds(1));
            for (int node : List.copyOf(coming)) {
                if (cluster.worker(node).isReady()) {
                    cluster.join(node);
                    coming.remove(node);
                }
            }
        }
        for (int node : coming) {
            cluster.join(node);
        }
        cluster.hush();
        arena.awaitEmpty();
    }
}
