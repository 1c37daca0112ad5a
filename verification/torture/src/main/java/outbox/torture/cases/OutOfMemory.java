package outbox.torture.cases;

import java.time.Duration;
import java.util.List;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/**
 * Some listeners take all memory of their process. Any thread may run out of it then, so what was delivered at that
 * moment may have to be delivered again; nothing may be lost, and the process goes on.
 */
public final class OutOfMemory implements TortureCase {
    @Override
    public String name() {
        return "out-of-memory";
    }

    @Override
    public String what() {
        return "OutOfMemoryError in a listener";
    }

    @Override
    public void run(Arena arena) throws Exception {
        NodeSettings hungry = arena.settings()
                .with(Setting.MEMORY_HUNGER, true)
                .with(Setting.MAX_ATTEMPTS, 4)
                .with(Setting.RATE, 30);
        Cluster cluster = arena.cluster(List.of(hungry, hungry, hungry), "-Xmx48m");
        cluster.write();
        arena.pass(Duration.ofSeconds(arena.scaled(6, 3)));
        cluster.hush();
        arena.awaitEmpty();
        long strikes = arena.database()
                .count("SELECT COALESCE(SUM(attempts), 0) FROM outbox_event WHERE event_type LIKE 'Poison%'");
        arena.expect(strikes > 0, "no listener ran out of memory");
        for (long i = 0; i < strikes; i++) {
            arena.fault();
        }
        arena.allowDuplicates(strikes * hungry.number(Setting.WORKERS));
        for (int node = 0; node < cluster.size(); node++) {
            arena.expect(cluster.worker(node).isAlive(), "a node died of it");
        }
    }
}
