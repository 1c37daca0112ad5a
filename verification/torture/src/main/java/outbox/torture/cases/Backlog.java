package outbox.torture.cases;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import outbox.EventEnvelope;
import outbox.torture.Arena;
import outbox.torture.TortureCase;
import outbox.torture.worker.Business;
import outbox.torture.worker.Setting;

/** Nodes come up and find a million events that nobody has delivered. */
public final class Backlog implements TortureCase {
    private static final int SEED = 1000;

    @Override
    public String name() {
        return "backlog";
    }

    @Override
    public String what() {
        return "backlog of one million";
    }

    @Override
    public void run(Arena arena) throws Exception {
        int events = arena.scaled(1_000_000, 20_000);
        fill(arena, events);
        arena.cluster(arena.settings().with(Setting.LEASE_MS, 20_000));
        arena.awaitEmpty(Duration.ofMinutes(15)); // how long it takes is for the table to show, not promised
    }

    /** The first thousand is written by the store, the others are copies the database makes of them. */
    private static void fill(Arena arena, int events) throws SQLException, InterruptedException {
        List<EventEnvelope> seed = new ArrayList<>();
        for (int i = 0; i < SEED; i++) {
            seed.add(EventEnvelope.builder(Business.PLACED)
                    .eventId(String.format("0-%05d", i))
                    .aggregateType(Business.AGGREGATE)
                    .aggregateId("k0")
                    .payloadJson("{\"order\":" + i + "}")
                    .build());
        }
        try (Connection conn = arena.database().connect();
                Statement statement = conn.createStatement()) {
            conn.setAutoCommit(false);
            arena.database().store().insertBatch(conn, seed);
            conn.commit();
            int filled = SEED;
            for (int round = 1; filled < events; round++) {
                int more = Math.min(filled, events - filled);
                statement.executeUpdate("""
                        INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, payload, status,
                          attempts, available_at, created_at)
                        SELECT %s, event_type, aggregate_type, aggregate_id, payload, status, attempts, available_at,
                          created_at
                        FROM outbox_event LIMIT %d
                        """.formatted("CONCAT('" + round + "', event_id)", more));
                conn.commit();
                filled += more;
                arena.pass(Duration.ZERO);
            }
            statement.executeUpdate("""
                    INSERT INTO torture_business (id, event_id, agg, n, fate)
                    SELECT event_id, event_id, 'k0', 0, 'D' FROM outbox_event
                    """);
            conn.commit();
        }
    }
}
