package outbox.benchmark.raw;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.benchmark.Bench;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.BenchServer;
import outbox.benchmark.Measurement;
import outbox.benchmark.Payloads;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.benchmark.Unit;
import outbox.util.Ulid;

/** How many rows a second the database takes, 1000 a transaction, by the fastest of the ways there are. */
public final class RawBulk implements Scenario {
    private static final int ROWS = 1000;

    private final Map<String, Double> sums = new HashMap<>();
    private @Nullable BenchDatabase database;

    @Override
    public String id() {
        return "raw-bulk";
    }

    @Override
    public String title() {
        return "raw JDBC: 1000 rows a transaction, the fastest of the ways below";
    }

    @Override
    public void setUp(Bench bench) throws Exception {
        database = bench.database();
        OutboxTable.create(database);
    }

    private interface Way {
        /** Inserts {@link #ROWS} rows, the first with this number. */
        void insert(int first) throws SQLException;
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        BenchDatabase db = Objects.requireNonNull(database);
        List<Measurement> all = new ArrayList<>();
        all.add(measure("rewritten batch", scale.bulkEvents(), OutboxTable.insert(db.kind()), RawBulk::batch));
        for (int rows : new int[] {ROWS, ROWS / 2, ROWS / 10}) {
            all.add(measure(
                    rows + " rows a statement",
                    scale.bulkEvents(),
                    multiRow(db.kind(), rows),
                    (kind, connection, insert) -> values(kind, insert, rows)));
        }
        if (db.kind() == BenchServer.Kind.POSTGRESQL) {
            all.add(measure("unnest", scale.bulkEvents(), unnest(), RawBulk::arrays));
        }
        all.add(0, new Measurement(Measurement.RATE, Unit.EVENTS_PER_SECOND, ofTheFastestSoFar(all)));
        return all;
    }

    /** The fastest is chosen over all rounds, because the luckiest of each one would be too high a bar. */
    private double ofTheFastestSoFar(List<Measurement> round) {
        for (Measurement way : round) {
            sums.merge(way.metric(), way.value(), Double::sum);
        }
        return round.stream()
                .max(Comparator.comparingDouble(way -> sums.getOrDefault(way.metric(), 0.0)))
                .orElseThrow()
                .value();
    }

    private interface Approach {
        Way way(BenchServer.Kind kind, Connection connection, PreparedStatement insert) throws SQLException;
    }

    private Measurement measure(String name, int events, String sql, Approach approach) throws SQLException {
        BenchDatabase db = Objects.requireNonNull(database);
        OutboxTable.clear(db);
        int batches = Math.max(1, events / ROWS);
        try (Connection connection = db.connect();
                PreparedStatement insert = connection.prepareStatement(sql)) {
            connection.setAutoCommit(false);
            Way way = approach.way(db.kind(), connection, insert);
            long start = System.nanoTime();
            for (int batch = 0; batch < batches; batch++) {
                way.insert(batch * ROWS);
                connection.commit();
            }
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (OutboxTable.pending(db) != (long) batches * ROWS) {
                throw new IllegalStateException(name + " inserted " + OutboxTable.pending(db) + " rows");
            }
            return Measurement.rate(name, Unit.EVENTS_PER_SECOND, (long) batches * ROWS, took);
        }
    }

    private static Way batch(BenchServer.Kind kind, Connection connection, PreparedStatement insert) {
        return first -> {
            for (int row = 0; row < ROWS; row++) {
                OutboxTable.bind(insert, 1, first + row, 0, Payloads.BYTES, null, OutboxTable.now(kind));
                insert.addBatch();
            }
            insert.executeBatch();
        };
    }

    private static String multiRow(BenchServer.Kind kind, int rows) {
        String one = OutboxTable.insert(kind);
        String values = one.substring(one.indexOf("(?,"));
        return one + (", " + values).repeat(rows - 1);
    }

    private static Way values(BenchServer.Kind kind, PreparedStatement insert, int rows) {
        return first -> {
            for (int chunk = 0; chunk < ROWS; chunk += rows) {
                for (int row = 0; row < rows; row++) {
                    int from = 1 + row * OutboxTable.COLUMNS.size();
                    int number = first + chunk + row;
                    OutboxTable.bind(insert, from, number, 0, Payloads.BYTES, null, OutboxTable.now(kind));
                }
                insert.executeUpdate();
            }
        };
    }

    private static String unnest() {
        return "INSERT INTO " + OutboxTable.NAME + " (event_id, event_type, aggregate_type, payload, status,"
                + " attempts, available_at, created_at) SELECT id, type, aggregate, CAST(payload AS JSONB), 0, 0, at, at"
                + " FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[])"
                + " AS new (id, type, aggregate, payload, at)";
    }

    private static Way arrays(BenchServer.Kind kind, Connection connection, PreparedStatement insert) {
        return first -> {
            String[] ids = new String[ROWS];
            String[] payloads = new String[ROWS];
            Object[] times = new Object[ROWS];
            for (int row = 0; row < ROWS; row++) {
                ids[row] = Ulid.next();
                payloads[row] = Payloads.of(first + row);
                times[row] = OutboxTable.now(kind);
            }
            insert.setArray(1, connection.createArrayOf("text", ids));
            insert.setArray(2, connection.createArrayOf("text", same(OutboxTable.EVENT_TYPE)));
            insert.setArray(3, connection.createArrayOf("text", same(OutboxTable.AGGREGATE_TYPE)));
            insert.setArray(4, connection.createArrayOf("text", payloads));
            insert.setArray(5, connection.createArrayOf("timestamptz", times));
            insert.executeUpdate();
        };
    }

    private static String[] same(String value) {
        return Collections.nCopies(ROWS, value).toArray(new String[0]);
    }
}
