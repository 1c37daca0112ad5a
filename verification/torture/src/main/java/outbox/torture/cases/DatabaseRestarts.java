package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Setting;

/** The database crashes under load and comes back at once, again and again. */
public final class DatabaseRestarts implements TortureCase {
    private final boolean ordered;

    public DatabaseRestarts(boolean ordered) {
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return ordered ? "restart-database-ordered" : "restart-database";
    }

    @Override
    public String what() {
        return "immediate restart of the database" + (ordered ? ", ordered" : "");
    }

    @Override
    public boolean isQuick() {
        return !ordered;
    }

    @Override
    public boolean isOrdered() {
        return ordered;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.busy().with(Setting.LEASE_MS, 2000)); // below the limit
        arena.limitRecovery(Duration.ofSeconds(5));
        cluster.write();
        for (int i = 0; i < arena.scaled(ordered ? 2 : 5, 1); i++) {
            arena.pass(Duration.ofSeconds(1));
            arena.allowDuplicates(arena.database().held().size());
            arena.fault();
            arena.database().server().restart();
            long healed = System.nanoTime();
            arena.allowDuplicates(arena.database().held().size());
            arena.awaitRecovery(healed, cluster.names());
        }
        cluster.hush();
        arena.awaitEmpty();
    }
}
