package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Setting;

/** The database server loses its power under load, and with it everything it had not synced. */
public final class PowerLoss implements TortureCase {
    private final boolean durable;
    private final boolean ordered;

    /** @param durable whether a commit waits until it is synced */
    public PowerLoss(boolean durable, boolean ordered) {
        this.durable = durable;
        this.ordered = ordered;
    }

    @Override
    public String name() {
        return (durable ? "power-loss" : "power-loss-not-durable") + (ordered ? "-ordered" : "");
    }

    @Override
    public String what() {
        return "power loss of the database server" + (durable ? "" : ", commits do not wait for the disk")
                + (ordered ? ", ordered" : "");
    }

    @Override
    public boolean isOrdered() {
        return ordered;
    }

    @Override
    public boolean losesPower() {
        return true;
    }

    @Override
    public boolean isDurable() {
        return durable;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster = arena.cluster(arena.busy().with(Setting.LEASE_MS, 2000));
        cluster.write();
        long bytes = 0;
        for (int i = 0; i < arena.scaled(5, 2); i++) {
            arena.pass(Duration.ofSeconds(2));
            long taken = arena.losePower();
            arena.expect(taken > 0, "nothing was unsynced, so nothing was tried");
            bytes += taken;
            long healed = System.nanoTime();
            arena.awaitRecovery(healed, cluster.names());
        }
        arena.figure("taken back", bytes / 1024 + " KB");
        cluster.hush();
        arena.awaitEmpty();
    }
}
