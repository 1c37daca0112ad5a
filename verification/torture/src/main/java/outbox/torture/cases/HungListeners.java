package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Poison;
import outbox.torture.worker.Setting;

/** Listeners that do not return, on all nodes, more than these have workers. Their events die, and no other waits for them. */
public final class HungListeners implements TortureCase {
    private static final Duration TIME_LIMIT = Duration.ofSeconds(1);

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
        int attempts = 2;
        NodeSettings settings = arena.undisturbed()
                .with(Setting.TIME_LIMIT_MS, TIME_LIMIT.toMillis())
                .with(Setting.RATE, 20)
                .with(Setting.MAX_ATTEMPTS, attempts);
        Cluster cluster = arena.cluster(settings);
        cluster.write();
        int hung = arena.scaled(60, 12);
        int deaf = arena.scaled(6, 3);
        arena.insert(Poison.HANG, hung);
        arena.insert(Poison.DEAF, deaf);
        arena.pass(Duration.ofSeconds(arena.scaled(10, 2)));
        cluster.hush();
        arena.awaitEmpty();
        // One node may have claimed all of them: its workers are then busy with nothing else, each for its time limit,
        // and
        // its own good events wait for their turn.
        long calls = (long) attempts * (hung + deaf) / settings.number(Setting.WORKERS);
        arena.limitWait(TIME_LIMIT.multipliedBy(calls).plusSeconds(5));
        arena.expect(cluster.isUnharmed(), "a node had to be restarted");
        arena.expect(
                arena.database()
                                .count("SELECT COUNT(*) FROM outbox_event WHERE status = 3"
                                        + " AND last_error LIKE '%DeliveryTimeoutException%'")
                        > 0,
                "no event says that its listener did not return");
    }
}
