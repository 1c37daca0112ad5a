package outbox.torture.cases;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** Many small nodes share a table: nothing is delivered twice, and each costs the database little, also when idle. */
public final class ScaleOut implements TortureCase {
    private static final int EVENTS_PER_SECOND = 160;
    private static final int POOL = 4;

    private final int nodes;

    public ScaleOut(int nodes) {
        this.nodes = nodes;
    }

    @Override
    public String name() {
        return "scale-" + nodes;
    }

    @Override
    public String what() {
        return nodes + " small nodes";
    }

    @Override
    public boolean isQuick() {
        return nodes == 4;
    }

    @Override
    public void run(Arena arena) throws Exception {
        NodeSettings small = arena.undisturbed()
                .with(Setting.LEASE_MS, 30_000)
                .with(Setting.POLL_MS, 1000)
                .with(Setting.WORKERS, 2)
                .with(Setting.POOL, POOL)
                .with(Setting.IDLE, 1)
                .with(Setting.WRITERS, 1)
                .with(Setting.RATE, EVENTS_PER_SECOND / nodes);
        Cluster cluster = arena.cluster(Collections.nCopies(nodes, small), "-Xmx64m");
        cluster.write();
        Sample load = sample(arena, cluster, Duration.ofSeconds(arena.scaled(20, 3)));
        cluster.hush();
        arena.awaitEmpty();
        for (String node : cluster.names()) {
            arena.expect(arena.ledger().deliveriesBy(node) > 0, node + " has delivered nothing");
        }
        arena.pass(Duration.ofSeconds(arena.scaled(5, 1))); // until the pollers have slowed down
        Sample idle = sample(arena, cluster, Duration.ofSeconds(arena.scaled(20, 3)));
        arena.expect(idle.connections <= POOL, idle.connections + " connections a node");
        String asked = arena.database().store().name().equals("postgresql") ? "transactions/s" : "statements/s";
        arena.figure("claims/s", rate(load.claims));
        arena.figure("connections", rate(load.connections));
        arena.figure("idle: claims/s", rate(idle.claims));
        arena.figure("idle: " + asked, rate(idle.asked));
        arena.figure("idle: connections", rate(idle.connections));
        arena.figure("idle: CPU ms/s", rate(idle.cpuMillis));
    }

    /** Per node, and per second where it is not connections. */
    private record Sample(double claims, double asked, double connections, double cpuMillis) {}

    private Sample sample(Arena arena, Cluster cluster, Duration time) throws Exception {
        List<Long> claims = new ArrayList<>();
        long cpu = 0;
        for (int node = 0; node < nodes; node++) {
            claims.add(cluster.worker(node).claims());
            cpu -= cluster.worker(node).cpu().toMillis();
        }
        long begun = System.nanoTime();
        long asked = arena.database().asked();
        arena.pass(time);
        long connections = arena.database().connections();
        asked = arena.database().asked() - asked;
        double seconds = (System.nanoTime() - begun) / 1e9 * nodes;
        long claimed = 0;
        for (int node = 0; node < nodes; node++) {
            claimed += cluster.worker(node).claims() - claims.get(node);
            cpu += cluster.worker(node).cpu().toMillis();
        }
        return new Sample(claimed / seconds, asked / seconds, (double) connections / nodes, cpu / seconds);
    }

    private static String rate(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
