package outbox.torture.cases;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import outbox.EventEnvelope;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Business;
import outbox.torture.worker.Setting;

/**
 * Three nodes purge, claim and replay at the same time. Old rows that are done must go; old rows that were never
 * delivered and old rows that are replayed must be delivered and not purged before.
 */
public final class PurgeClaimReplay implements TortureCase {
    @Override
    public String name() {
        return "purge-claim-replay";
    }

    @Override
    public String what() {
        return "purge, claim and replay against each other";
    }

    @Override
    public void run(Arena arena) throws Exception {
        int each = arena.scaled(3000, 500);
        insertOld(arena, "done", each, "status = 1, done_at = created_at");
        insertOld(arena, "waiting", each, "status = 0");
        insertRecentDead(arena, each);
        arena.purges();
        Cluster cluster =
                arena.cluster(arena.settings().with(Setting.LEASE_MS, 10_000).with(Setting.RETENTION_MINUTES, 60));
        cluster.write();
        cluster.order("purge-and-replay " + arena.scaled(6000, 2000));
        arena.fault();
        cluster.hush();
        arena.awaitEmpty();
        long old = arena.database().count("SELECT COUNT(*) FROM outbox_event WHERE event_id LIKE 'done-%'");
        arena.expect(old == 0, old + " old rows were not purged");
        arena.database().execute("DELETE FROM torture_business WHERE event_id LIKE 'done-%'");
    }

    private static void insertOld(Arena arena, String prefix, int count, String state) throws Exception {
        insert(arena, prefix, count, Instant.now().minus(Duration.ofDays(2)), state);
    }

    /** Purging counts the age of a dead row from its creation, so these must be young. */
    private static void insertRecentDead(Arena arena, int count) throws Exception {
        insert(arena, "dead", count, Instant.now(), "status = 3");
    }

    private static void insert(Arena arena, String prefix, int count, Instant created, String state) throws Exception {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.builder(Business.PLACED)
                    .eventId(prefix + "-" + i)
                    .occurredAt(created)
                    .aggregateType(Business.AGGREGATE)
                    .aggregateId("k0")
                    .payloadJson("{}")
                    .build());
        }
        try (Connection conn = arena.database().connect();
                Statement statement = conn.createStatement()) {
            conn.setAutoCommit(false);
            arena.database().store().insertBatch(conn, events);
            statement.executeUpdate("UPDATE outbox_event SET " + state + " WHERE event_id LIKE '" + prefix + "-%'");
            statement.executeUpdate("INSERT INTO torture_business (id, event_id, agg, n, fate)"
                    + " SELECT event_id, event_id, 'k0', 0, 'D' FROM outbox_event WHERE event_id LIKE '" + prefix
                    + "-%'");
            conn.commit();
        }
    }
}
