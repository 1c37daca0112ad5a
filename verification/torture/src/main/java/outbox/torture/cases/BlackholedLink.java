package outbox.torture.cases;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.Link;
import outbox.torture.TortureCase;
import outbox.torture.worker.NodeSettings;

/** What one node and the database send each other does not arrive, and nobody is told. */
public final class BlackholedLink implements TortureCase {
    @Override
    public String name() {
        return "blackhole";
    }

    @Override
    public String what() {
        return "database link of a node blackholed for 10 s";
    }

    @Override
    public void run(Arena arena) throws Exception {
        try (Link link = new Link(arena.database().server().port())) {
            NodeSettings direct = arena.busy();
            Cluster cluster = arena.cluster(List.of(arena.database().reachableThrough(link, direct), direct, direct));
            Duration away = Duration.ofSeconds(arena.scaled(10, 5));
            arena.limitRecovery(away.plus(cluster.leaseTime()).plusSeconds(1));
            cluster.write();
            arena.pass(Duration.ofSeconds(2));
            long at = System.nanoTime();
            link.cut();
            cluster.struck(0, at);
            arena.pass(away);
            long commits = arena.ledger()
                    .commitsBy(cluster.worker(0).name(), at + TimeUnit.SECONDS.toNanos(1), System.nanoTime());
            arena.expect(commits == 0, "a node without a database committed " + commits + " events");
            link.mend();
            arena.awaitRecovery(System.nanoTime(), cluster.names());
            cluster.hush();
            arena.awaitEmpty();
        }
    }
}
