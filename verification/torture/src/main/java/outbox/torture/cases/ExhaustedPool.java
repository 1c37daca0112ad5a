package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;

/** Other code of all three applications takes every connection and keeps it. */
public final class ExhaustedPool implements TortureCase {
    @Override
    public String name() {
        return "exhaust-pool";
    }

    @Override
    public String what() {
        return "connection pools exhausted for 10 s";
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.busy());
        arena.limitRecovery(Duration.ofSeconds(5));
        cluster.write();
        arena.pass(Duration.ofSeconds(1));
        String hog = "hog " + Duration.ofSeconds(arena.scaled(10, 4)).toMillis();
        for (int node = 0; node < cluster.size(); node++) {
            arena.fault();
            cluster.worker(node).tell(hog);
        }
        arena.pass(Duration.ofSeconds(2));
        arena.allowDuplicates(arena.database().held().size());
        for (int node = 0; node < cluster.size(); node++) {
            cluster.worker(node).awaitDone(hog);
        }
        arena.awaitRecovery(System.nanoTime(), cluster.names());
        cluster.hush();
        arena.awaitEmpty();
    }
}
