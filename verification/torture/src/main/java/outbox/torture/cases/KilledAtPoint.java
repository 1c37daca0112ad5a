package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.KillPoint;

/** A thread is held at the worst moment, and its node is killed there. */
public final class KilledAtPoint implements TortureCase {
    private final String name;
    private final String what;
    private final KillPoint point;

    public KilledAtPoint(String name, String what, KillPoint point) {
        this.name = name;
        this.what = what;
        this.point = point;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String what() {
        return what;
    }

    @Override
    public boolean isQuick() {
        return point == KillPoint.AFTER_LISTENER || point == KillPoint.AFTER_COMMIT;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.busy());
        arena.limitRecovery(cluster.leaseTime().plusSeconds(1));
        cluster.write();
        int kills = arena.scaled(3, 1);
        for (int i = 0; i < kills; i++) {
            int victim = i % cluster.size();
            arena.pass(Duration.ofMillis(500));
            cluster.worker(victim).tell("arm " + point);
            cluster.worker(victim).awaitHeld();
            cluster.kill(victim);
            cluster.launchAgain(victim);
            cluster.join(victim);
        }
        cluster.hush();
        arena.awaitEmpty();
    }
}
