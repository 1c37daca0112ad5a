package outbox.torture.cases;

import java.time.Duration;
import java.util.List;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.Version;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** Two nodes of each version; what a killed one held is delivered by the others, of whatever version. */
public final class MixedVersionsKilled implements TortureCase {
    private final boolean ordered;

    public MixedVersionsKilled(boolean ordered) {
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return "mixed-kill" + (ordered ? "-ordered" : "");
    }

    @Override
    public String what() {
        return "two nodes of each version, kill -9 of one after the other" + (ordered ? ", ordered" : "");
    }

    @Override
    public boolean isOrdered() {
        return ordered;
    }

    @Override
    public boolean beginsWithVersionBefore() {
        return true;
    }

    @Override
    public void run(Arena arena) throws Exception {
        arena.database().migrate(ordered);
        Version before = Version.before();
        NodeSettings settings = arena.busy().with(Setting.CONNECTION_MS, 30_000).with(Setting.LEASE_MS, 5000);
        Cluster cluster = arena.cluster(List.of(before, Version.TODAY, before, Version.TODAY), settings);
        arena.limitRecovery(cluster.leaseTime().plusSeconds(1));
        cluster.write();
        for (int i = 0; i < arena.scaled(8, 4); i++) {
            arena.pass(Duration.ofSeconds(1));
            int node = i % cluster.size();
            cluster.killBusy(node);
            cluster.launchAgain(node);
            cluster.join(node);
        }
        cluster.hush();
        arena.awaitEmpty();
        for (Version version : List.of(before, Version.TODAY)) {
            arena.expect(
                    arena.ledger().deliveriesBy(version.prefix()) > 0,
                    "nodes " + version.prefix() + " have delivered nothing");
        }
    }
}
