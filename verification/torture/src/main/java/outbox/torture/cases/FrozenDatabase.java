package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.FrozenServer;
import outbox.torture.TortureCase;

/** The database stops answering for a minute and goes on where it was; nobody takes its place. */
public final class FrozenDatabase implements TortureCase {
    private final boolean ordered;

    public FrozenDatabase(boolean ordered) {
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return ordered ? "freeze-database-ordered" : "freeze-database";
    }

    @Override
    public String what() {
        return "database freezes for 60 s, then resumes" + (ordered ? ", ordered" : "");
    }

    @Override
    public boolean isOrdered() {
        return ordered;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.byDefault());
        arena.limitRecovery(cluster.leaseTime().plusSeconds(5));
        cluster.write();
        arena.pass(Duration.ofSeconds(arena.scaled(5, 2)));
        arena.allowDuplicates(arena.database().held().size());
        arena.fault();
        FrozenServer frozen = FrozenServer.freeze(arena.database().server());
        try {
            arena.pass(Duration.ofSeconds(arena.scaled(60, 10)));
        } finally {
            frozen.thaw();
        }
        long resumed = System.nanoTime();
        arena.allowDuplicates(arena.database().held().size());
        arena.awaitRecovery(resumed, cluster.names());
        arena.pass(Duration.ofSeconds(arena.scaled(5, 1)));
        cluster.hush();
        arena.awaitEmpty();
    }
}
