package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;

/** An operator ends all connections from the server's side. */
public final class TerminatedConnections implements TortureCase {
    @Override
    public String name() {
        return "terminate-connections";
    }

    @Override
    public String what() {
        return "server ends all connections, every second";
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.busy());
        arena.limitRecovery(Duration.ofSeconds(5));
        cluster.write();
        for (int i = 0; i < arena.scaled(6, 2); i++) {
            arena.pass(Duration.ofSeconds(1));
            arena.allowDuplicates(arena.database().held().size());
            arena.fault();
            int ended = arena.database().terminateConnections();
            long healed = System.nanoTime();
            arena.expect(ended > 0, "there was no connection to end");
            arena.awaitRecovery(healed, cluster.names());
        }
        cluster.hush();
        arena.awaitEmpty();
    }
}
