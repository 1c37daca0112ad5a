package outbox.torture.cases;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Poison;
import outbox.torture.worker.Setting;

/** Events whose listener ends the process, among good ones. Nodes are started again, and die again until the attempts of these
 * events are used up; no good event is lost, and none dies with them. */
public final class KillingEvents implements TortureCase {
    private static final int ATTEMPTS = 3;

    @Override
    public String name() {
        return "killing-events";
    }

    @Override
    public String what() {
        return "events that end their process, among good ones";
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.busy().with(Setting.MAX_ATTEMPTS, ATTEMPTS));
        // What ran beside such an event has its turn when those without attempts have had theirs.
        arena.limitRecovery(cluster.leaseTime().plusSeconds(5));
        cluster.write();
        int deaths = 0;
        for (int i = 0; i < arena.scaled(3, 1); i++) {
            arena.insert(Poison.HALT, 1);
            deaths += untilDead(arena, cluster, i + 1);
        }
        cluster.hush();
        arena.awaitEmpty();
        arena.expect(
                deaths >= ATTEMPTS * arena.scaled(3, 1),
                "processes ended only " + deaths + " times, nothing was tried");
        arena.expect(
                arena.database()
                                .count("SELECT COUNT(*) FROM outbox_event WHERE status = 3"
                                        + " AND last_error LIKE '%ProcessDiedException%'")
                        == arena.scaled(3, 1),
                "the dead events do not say that their process died");
    }

    /** @return how many processes ended */
    private static int untilDead(Arena arena, Cluster cluster, int dead) throws Exception {
        int deaths = 0;
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (arena.database().count("SELECT COUNT(*) FROM outbox_event WHERE status = 3") < dead) {
            deaths += cluster.replaceDead();
            if (System.nanoTime() - end > 0) {
                arena.expect(false, "an event that ends its process is not dead after " + deaths + " processes");
                break;
            }
            arena.pass(Duration.ofMillis(50));
        }
        return deaths;
    }
}
