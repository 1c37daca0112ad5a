package outbox.torture.cases;

import java.time.Duration;
import java.util.List;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Setting;

/** Nodes are asked to end while they write and deliver: they finish, give back the rest, and nobody waits for a lease. */
public final class TerminatedWhileBusy implements TortureCase {
    private static final Duration DRAIN = Duration.ofSeconds(3);

    @Override
    public String name() {
        return "sigterm";
    }

    @Override
    public String what() {
        return "SIGTERM while busy";
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.settings()
                .with(Setting.LEASE_MS, 30_000)
                .with(Setting.LISTENER_MS, 50)
                .with(Setting.RATE, 45)
                .with(Setting.DRAIN_MS, DRAIN.toMillis()));
        arena.limitRecovery(Duration.ofSeconds(10)); // far less than the lease
        cluster.write();
        for (int node = 0; node < cluster.size(); node++) {
            arena.pass(Duration.ofMillis(1200));
            arena.fault();
            long took = cluster.worker(node).terminate(DRAIN.plusSeconds(10));
            arena.expect(took >= 0, "a node did not end within " + DRAIN.plusSeconds(10));
            int kept = arena.database().heldBy(cluster.worker(node).name()).size();
            arena.expect(kept == 0, "a node ended after " + took + " ms and kept " + kept + " leases");
            cluster.launchAgain(node);
            cluster.join(node);
        }
        cluster.hush();
        arena.awaitRecovery(System.nanoTime(), List.of());
        arena.awaitEmpty();
    }
}
