package outbox.torture.cases;

import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Setting;

/** Far more is written at once than the queues hold: the database is the buffer. */
public final class Burst implements TortureCase {
    @Override
    public String name() {
        return "burst";
    }

    @Override
    public String what() {
        return "burst far above the queues";
    }

    @Override
    public boolean isQuick() {
        return true;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster =
                arena.cluster(arena.undisturbed().with(Setting.HOT_CAPACITY, 50).with(Setting.COLD_CAPACITY, 100));
        cluster.order("burst " + arena.scaled(15_000, 3_000));
        arena.awaitEmpty();
    }
}
