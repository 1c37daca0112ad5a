package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Setting;

/** Listeners take three times as long as a lease; renewal keeps others away. */
public final class LongListener implements TortureCase {
    static final int LEASE_MS = 2000;

    @Override
    public String name() {
        return "long-listener";
    }

    @Override
    public String what() {
        return "listener three times longer than the lease";
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.settings()
                .with(Setting.LEASE_MS, LEASE_MS)
                .with(Setting.LISTENER_MS, 3 * LEASE_MS)
                .with(Setting.WORKERS, 12)
                .with(Setting.RATE, 2));
        cluster.write();
        arena.pass(Duration.ofSeconds(3));
        cluster.hush();
        arena.awaitEmpty();
    }
}
