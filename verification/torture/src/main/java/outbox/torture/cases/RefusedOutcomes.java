package outbox.torture.cases;

import java.time.Duration;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Poison;
import outbox.torture.worker.Setting;

/** A trigger refuses that some events are done. These die of it; all others are settled. */
public final class RefusedOutcomes implements TortureCase {
    @Override
    public String name() {
        return "refused-outcomes";
    }

    @Override
    public String what() {
        return "outcomes the database refuses";
    }

    @Override
    public void run(Arena arena) throws Exception {
        String when = "ON outbox_event FOR EACH ROW ";
        String bad = "OLD.event_type = '" + Poison.REFUSED.eventType() + "' AND NEW.status = 1";
        if (arena.database().store().name().equals("postgresql")) {
            arena.database()
                    .execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                            + " $$ BEGIN RAISE EXCEPTION 'not this one'; END $$");
            arena.database()
                    .execute("CREATE TRIGGER refuse BEFORE UPDATE " + when + "WHEN (" + bad
                            + ") EXECUTE FUNCTION refuse()");
        } else {
            arena.database()
                    .execute("CREATE TRIGGER refuse BEFORE UPDATE " + when + "IF " + bad
                            + " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this one'; END IF");
        }
        Cluster cluster = arena.cluster(arena.undisturbed().with(Setting.MAX_ATTEMPTS, 3));
        cluster.write();
        for (int i = 0; i < 10; i++) {
            arena.insert(Poison.REFUSED, arena.scaled(10, 2));
            arena.pass(Duration.ofMillis(arena.scaled(500, 200)));
        }
        cluster.hush();
        arena.awaitEmpty();
        arena.limitWait(Duration.ofSeconds(10));
        arena.expect(cluster.isUnharmed(), "a node had to be restarted");
    }
}
