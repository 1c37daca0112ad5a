package outbox.torture.cases;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.Link;
import outbox.torture.TortureCase;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** On a slow and lossy network one node after the other is cut off from the database for longer than its lease. */
public final class PartitionedNodes implements TortureCase {
    private static final Link.Quality BAD = new Link.Quality(Duration.ofMillis(5), Duration.ofMillis(10), 0.01);

    private final boolean ordered;

    public PartitionedNodes(boolean ordered) {
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return "partitions" + (ordered ? "-ordered" : "");
    }

    @Override
    public String what() {
        return "each node cut off for two leases in turn, 1 % loss and 5 to 15 ms of delay"
                + (ordered ? ", ordered" : "");
    }

    @Override
    public boolean isOrdered() {
        return ordered;
    }

    @Override
    public void run(Arena arena) throws Exception {
        List<Link> links = new ArrayList<>();
        try {
            List<NodeSettings> settings = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Link link = new Link(arena.database().server().port());
                links.add(link);
                settings.add(arena.database()
                        .reachableThrough(link, arena.busy())
                        .with(Setting.LEASE_MS, 5000)
                        .with(Setting.RATE, ordered ? 4 : 10));
            }
            Cluster cluster = arena.cluster(settings);
            Duration away = cluster.leaseTime().multipliedBy(2);
            arena.limitRecovery(away.plus(cluster.leaseTime()).plusSeconds(1));
            cluster.write();
            links.forEach(link -> link.become(BAD));
            for (int node = 0; node < links.size(); node++) {
                arena.pass(Duration.ofSeconds(1));
                long at = System.nanoTime();
                links.get(node).cut();
                cluster.struck(node, at);
                arena.pass(away);
                links.get(node).mend();
                arena.awaitRecovery(System.nanoTime(), cluster.names());
            }
            cluster.hush();
            arena.awaitEmpty();
        } finally {
            for (Link link : links) {
                link.close();
            }
        }
    }
}
