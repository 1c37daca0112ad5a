package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Setting;

/** Nothing happens: every event is delivered once. */
public final class HealthyNodes implements TortureCase {
    private final boolean ordered;

    public HealthyNodes(boolean ordered) {
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return ordered ? "healthy-ordered" : "healthy";
    }

    @Override
    public String what() {
        return "three healthy nodes" + (ordered ? ", ordered" : "");
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
        Cluster cluster = arena.cluster(arena.undisturbed().with(Setting.RATE, 120));
        cluster.write();
        arena.pass(Duration.ofSeconds(arena.scaled(8, 3)));
        cluster.hush();
        arena.awaitEmpty();
        for (String node : cluster.names()) {
            arena.expect(arena.ledger().deliveriesBy(node) > 0, node + " has delivered nothing");
        }
    }
}
