package outbox.torture.cases;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import outbox.EventEnvelope;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Business;
import outbox.torture.worker.Poison;
import outbox.torture.worker.Setting;

/** Events that cannot be delivered, among good ones: they end as dead, and stop nobody else. */
public final class PoisonedEvents implements TortureCase {
    @Override
    public String name() {
        return "poison";
    }

    @Override
    public String what() {
        return "poison among good events";
    }

    @Override
    public boolean isQuick() {
        return true;
    }

    @Override
    public void run(Arena arena) throws Exception {
        Cluster cluster =
                arena.cluster(arena.undisturbed().with(Setting.POISON, true).with(Setting.MAX_ATTEMPTS, 3));
        cluster.write();
        for (int i = 0; i < 20; i++) {
            insertUndecodable(arena, i);
        }
        arena.pass(Duration.ofSeconds(arena.scaled(5, 2)));
        cluster.hush();
        arena.awaitEmpty();
        for (long i = arena.database().count("SELECT COUNT(*) FROM outbox_event WHERE status = 3"); i > 0; i--) {
            arena.fault();
        }
    }

    /** Stored as bytes, and not Base64. */
    private static void insertUndecodable(Arena arena, int i) throws SQLException {
        EventEnvelope event = EventEnvelope.builder(Poison.EXCEPTION.eventType())
                .aggregateType(Business.AGGREGATE)
                .aggregateId("k" + i)
                .payloadJson("{}")
                .build();
        try (Connection conn = arena.database().connect()) {
            conn.setAutoCommit(false);
            Business.insert(conn, event.eventId(), event, 0);
            arena.database().store().insertNew(conn, event);
            try (var spoil = conn.prepareStatement("UPDATE outbox_event SET payload = "
                    + (arena.database().store().name().equals("postgresql") ? "CAST(? AS JSONB)" : "?")
                    + " WHERE event_id = ?")) {
                spoil.setString(1, "{\"$outbox.bytes\":\"?\"}");
                spoil.setString(2, event.eventId());
                spoil.executeUpdate();
            }
            conn.commit();
        }
    }
}
