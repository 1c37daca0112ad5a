package outbox.torture.cases;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.Version;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** Under load the tables get today's migrations, and nodes of one version are replaced by the other one by one. */
public final class RollingUpgrade implements TortureCase {
    private static final int NODES = 3;
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final boolean back;
    private final boolean ordered;

    /** @param back from today to the version before, on today's tables */
    public RollingUpgrade(boolean back, boolean ordered) {
        this.back = back;
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return (back ? "downgrade" : "upgrade") + (ordered ? "-ordered" : "");
    }

    @Override
    public String what() {
        return (back ? "nodes go back to the version before, one by one" : "tables upgraded, then nodes one by one")
                + (ordered ? ", ordered" : "");
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
    public boolean beginsWithVersionBefore() {
        return true;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Version from = back ? Version.TODAY : Version.before();
        Version to = back ? Version.before() : Version.TODAY;
        Duration mixed = Duration.ofSeconds(arena.scaled(5, 1));
        if (back) {
            migrate(arena);
        }
        NodeSettings settings = arena.undisturbed()
                .with(Setting.LEASE_MS, 30_000)
                .with(Setting.LISTENER_MS, 10)
                .with(Setting.RATE, ordered ? 15 : 45)
                .with(Setting.DRAIN_MS, DRAIN.toMillis());
        Cluster cluster = arena.cluster(Collections.nCopies(NODES, from), settings);
        cluster.write();
        arena.pass(mixed);
        if (!back) {
            migrate(arena);
            arena.pass(mixed);
        }
        for (int node = 0; node < NODES; node++) {
            cluster.replace(node, to, DRAIN);
            arena.pass(mixed);
        }
        cluster.hush();
        arena.awaitEmpty();
        arena.limitWait(Duration.ofSeconds(10)); // far less than the lease: nothing waits for one to expire
        for (Version version : List.of(from, to)) {
            arena.expect(
                    arena.ledger().deliveriesBy(version.prefix()) > 0,
                    "nodes " + version.prefix() + " have delivered nothing");
        }
    }

    private void migrate(Arena arena) throws Exception {
        List<String> missing = arena.database().migrate(ordered);
        arena.expect(missing.isEmpty(), "the upgraded table lacks indexes: " + missing);
    }
}
