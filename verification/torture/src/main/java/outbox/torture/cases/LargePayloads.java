package outbox.torture.cases;

import java.sql.Connection;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import outbox.EventEnvelope;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.TortureCase;
import outbox.torture.worker.Business;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** Nodes with a small heap come up and find a backlog of large payloads that is larger than all their heaps together. */
public final class LargePayloads implements TortureCase {
    private static final int PAYLOAD_BYTES = 1 << 20;
    private static final String HEAP = "-Xmx64m";

    @Override
    public String name() {
        return "large-payloads";
    }

    @Override
    public String what() {
        return "backlog of payloads of 1 MiB, heaps of 64 MiB";
    }

    @Override
    public void run(Arena arena) throws Exception {
        byte[] content = new byte[PAYLOAD_BYTES / 4 * 3 - 16];
        try (Connection conn = arena.database().connect()) {
            conn.setAutoCommit(false);
            for (int i = 0; i < arena.scaled(400, 100); i++) {
                arena.random().nextBytes(content); // so that the database cannot make it small
                EventEnvelope event = EventEnvelope.builder(Business.PLACED)
                        .aggregateType(Business.AGGREGATE)
                        .aggregateId("k0")
                        .payloadJson("\"" + Base64.getEncoder().encodeToString(content) + "\"")
                        .build();
                Business.insert(conn, event.eventId(), event, 0);
                arena.database().store().insertNew(conn, event);
                conn.commit();
            }
        }
        NodeSettings settings = arena.undisturbed().with(Setting.LISTENER_MS, 5);
        Cluster cluster = arena.cluster(List.of(settings, settings, settings), HEAP);
        arena.fault();
        cluster.write();
        arena.pass(Duration.ofSeconds(arena.scaled(3, 1)));
        cluster.hush();
        arena.awaitEmpty();
        arena.expect(cluster.isUnharmed(), "a node died of it");
    }
}
