package outbox.torture.cases;

import java.time.Duration;
import java.util.List;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** One node lives ten minutes ahead, one ten minutes behind, engine and business alike. */
public final class WrongClocks implements TortureCase {
    @Override
    public String name() {
        return "wrong-clocks";
    }

    @Override
    public String what() {
        return "clocks of two nodes wrong by ± 10 minutes";
    }

    @Override
    public void run(Arena arena) throws Exception {
        NodeSettings right = arena.settings().with(Setting.LEASE_MS, 10_000).with(Setting.RATE, 120);
        Cluster cluster = arena.cluster(
                List.of(right.with(Setting.CLOCK_MINUTES, 10), right.with(Setting.CLOCK_MINUTES, -10), right));
        arena.fault();
        arena.fault();
        arena.limitRecovery(Duration.ofSeconds(5));
        cluster.write();
        arena.pass(Duration.ofSeconds(arena.scaled(6, 3)));
        arena.awaitRecovery(System.nanoTime(), cluster.names());
        cluster.hush();
        arena.awaitEmpty();
    }
}
