package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Poison;
import outbox.torture.worker.Setting;

/** Listeners that do not return, on all nodes, more than these have workers. Their events die, and no other waits for them. */
public final class HungListeners implements TortureCase {
    @Override
    public String name() {
        return "hung-listeners";
    }

    @Override
    public String what() {
        return "hung listeners on all nodes";
    }

    @Override
    public boolean isQuick() {
        return true;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.undisturbed()
                .with(Setting.TIME_LIMIT_MS, 1000)
                .with(Setting.RATE, 20)
                .with(Setting.MAX_ATTEMPTS, 2));
        cluster.write();
        arena.insert(Poison.HANG, arena.scaled(60, 12));
        arena.insert(Poison.DEAF, arena.scaled(6, 3));
        arena.pass(Duration.ofSeconds(arena.scaled(10, 2)));
        cluster.hush();
        arena.awaitEmpty();
        arena.limitWait(Duration.ofSeconds(15));
        arena.expect(cluster.isUnharmed(), "a node had to be restarted");
        arena.expect(
                arena.database()
                                .count("SELECT COUNT(*) FROM outbox_event WHERE status = 3"
                                        + " AND last_error LIKE '%DeliveryTimeoutException%'")
                        > 0,
                "no event says that its listener did not return");
    }
}
