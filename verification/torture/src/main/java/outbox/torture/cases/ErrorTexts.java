package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Poison;
import outbox.torture.worker.Setting;

/** Exceptions with texts of every alphabet, on a table that holds only some of them. All these events die, and no other waits
 * for them. */
public final class ErrorTexts implements TortureCase {
    @Override
    public String name() {
        return "error-texts";
    }

    @Override
    public String what() {
        return "error texts in every alphabet";
    }

    @Override
    public void run(Arena arena) throws Exception {
        arena.database()
                .execute(
                        arena.database().store().name().equals("postgresql")
                                ? "ALTER TABLE outbox_event ADD CHECK (last_error ~ '^[[:ascii:]]*$')"
                                : "ALTER TABLE outbox_event MODIFY last_error TEXT CHARACTER SET utf8");
        Cluster cluster = arena.cluster(arena.undisturbed().with(Setting.MAX_ATTEMPTS, 3));
        cluster.write();
        for (int i = 0; i < 10; i++) {
            arena.insert(Poison.TEXT, arena.scaled(20, 4));
            arena.pass(Duration.ofMillis(arena.scaled(500, 200)));
        }
        cluster.hush();
        arena.awaitEmpty();
        arena.limitWait(Duration.ofSeconds(10));
        arena.expect(cluster.isUnharmed(), "a node had to be restarted");
    }
}
