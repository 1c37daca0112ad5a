package outbox.torture.cases;

import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;

/** Nodes write different business rows with the same event ids at the same time: one of each wins, with its row. */
public final class CollidingIds implements TortureCase {
    @Override
    public String name() {
        return "colliding-ids";
    }

    @Override
    public String what() {
        return "the same event ids from three nodes";
    }

    @Override
    public boolean isQuick() {
        return true;
    }

    @Override
    public void run(Arena arena) throws Exception {
        int ids = arena.scaled(500, 100);
        Cluster cluster = arena.cluster(arena.undisturbed());
        cluster.order("collide id- " + ids);
        arena.awaitEmpty();
        long committed = arena.database().count("SELECT COUNT(*) FROM torture_business");
        arena.expect(committed == ids, ids + " ids, " + committed + " committed business rows");
        for (int i = 0; i < 2 * ids; i++) {
            arena.fault();
        }
    }
}
