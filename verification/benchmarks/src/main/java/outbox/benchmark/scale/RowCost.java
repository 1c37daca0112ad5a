package outbox.benchmark.scale;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.spi.Settlement;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/**
 * What one event costs PostgreSQL: bytes of WAL for its insert and its settlement, and bytes of table and indexes, with the
 * plain schema and with partitions. The figures {@link Sizing} calculates with. Argument: bytes of payload.
 */
public final class RowCost {
    private static final int EVENTS = 5_000;
    private static final int BATCH = 100;

    private RowCost() {}

    public static void main(String[] args) throws SQLException {
        int payload = args.length > 0 ? Integer.parseInt(args[0]) : 500;
        PostgresOutboxStore store = new PostgresOutboxStore();
        System.out.printf("%-14s %16s %16s %16s%n", "bytes an event", "WAL, insert", "WAL, settle", "table and index");
        measure("plain", store.schema(), store, payload);
        measure("partitioned", store.partitionedSchema(), store, payload);
    }

    private static void measure(String name, OutboxSchema schema, PostgresOutboxStore store, int payload)
            throws SQLException {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        try (Connection conn = database.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            schema.apply(conn);
            if (name.equals("partitioned")) {
                store.dailyPartitions().rotate(database.dataSource()::getConnection, Instant.now(), Duration.ofDays(7));
            }
            statement.execute("CHECKPOINT");
            long start = number(statement, "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn");
            List<String> ids = insert(conn, store, payload);
            long inserted = number(statement, "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn");
            for (int from = 0; from < ids.size(); from += BATCH) {
                List<Settlement> batch = new ArrayList<>();
                ids.subList(from, from + BATCH).forEach(id -> batch.add(new Settlement.Done(id)));
                store.settle(conn, "a", batch);
            }
            long settled = number(statement, "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn");
            long size = number(statement, """
                    SELECT SUM(pg_total_relation_size(c.oid)) FROM pg_class c
                    WHERE c.relname LIKE 'outbox_event%' AND c.relkind = 'r'
                    """);
            System.out.printf(
                    Locale.ROOT,
                    "%-14s %16d %16d %16d%n",
                    name,
                    (inserted - start) / EVENTS,
                    (settled - inserted) / EVENTS,
                    size / EVENTS);
        }
        database.drop();
    }

    /** One commit each, as on the hot path. */
    private static List<String> insert(Connection conn, PostgresOutboxStore store, int payload) {
        List<String> ids = new ArrayList<>();
        String json = "{\"text\":\"" + "x".repeat(Math.max(1, payload - 11)) + "\"}";
        for (int i = 0; i < EVENTS; i++) {
            EventEnvelope event = EventEnvelope.builder("OrderPlaced")
                    .aggregateType("Order")
                    .aggregateId("order-" + i)
                    .payloadJson(json)
                    .build();
            store.insertLeased(conn, List.of(event), "a");
            ids.add(event.eventId());
        }
        return ids;
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
