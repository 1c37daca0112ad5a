package outbox.torture.cases;

import java.time.Duration;
import java.util.List;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** As {@link LongListener}, and one node cannot renew: others take over, and its late marks must not count. */
public final class LongListenerWithoutRenewal implements TortureCase {
    @Override
    public String name() {
        return "long-listener-no-renewal";
    }

    @Override
    public String what() {
        return "the same, renewal of one node cut off";
    }

    @Override
    public void run(Arena arena) throws Exception {
        NodeSettings healthy = arena.settings()
                .with(Setting.LEASE_MS, LongListener.LEASE_MS)
                .with(Setting.LISTENER_MS, 3 * LongListener.LEASE_MS)
                .with(Setting.WORKERS, 12)
                .with(Setting.RATE, 2);
        Cluster cluster = arena.cluster(List.of(healthy.with(Setting.NO_RENEWAL, true), healthy, healthy));
        arena.fault();
        cluster.write();
        arena.pass(Duration.ofSeconds(3));
        cluster.hush();
        arena.awaitEmpty();
        // A listener of the cut off node may end long after another node has done its work.
        arena.pass(Duration.ofMillis(3 * LongListener.LEASE_MS));
        arena.ledger().read();
        arena.expect(!arena.ledger().again().isEmpty(), "nobody took over what the cut off node did not renew");
        arena.allowDuplicates(arena.ledger().deliveriesBy(cluster.worker(0).name()));
    }
}
