package outbox.benchmark.own;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.benchmark.Bench;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Measurement;
import outbox.benchmark.Payloads;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.benchmark.Summary;
import outbox.benchmark.raw.OutboxTable;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.Settlement;

/** How long a claim of 100 rows takes, commit included, on tables of different sizes. */
public final class ClaimTime implements Scenario {
    private static final int ROWS = 100;
    private static final int SMALL = 2000;
    private static final String OWNER = "benchmark-claim";

    private final Size size;
    private @Nullable BenchDatabase database;

    private enum Size {
        SMALL("claim-small", "a small table"),
        DONE("claim-done", "a table with a million DONE rows"),
        PENDING("claim-pending", "a table with a million pending rows");

        private final String id;
        private final String table;

        Size(String id, String table) {
            this.id = id;
            this.table = table;
        }
    }

    private ClaimTime(Size size) {
        this.size = size;
    }

    /** One scenario for each size. */
    public static List<Scenario> all() {
        return List.of(new ClaimTime(Size.SMALL), new ClaimTime(Size.DONE), new ClaimTime(Size.PENDING));
    }

    @Override
    public String id() {
        return size.id;
    }

    @Override
    public String title() {
        return "this project: claim of 100 rows from " + size.table;
    }

    @Override
    public void setUp(Bench bench) throws Exception {
        BenchDatabase db = bench.database();
        database = db;
        OutboxTable.create(db);
        if (size == Size.DONE) {
            fill(db, bench);
            db.execute("UPDATE outbox_event SET status = 1, done_at = created_at");
        }
        if (size == Size.PENDING) {
            fill(db, bench);
        }
        OutboxTable.seed(db, SMALL, 0, Payloads.BYTES);
    }

    private void fill(BenchDatabase db, Bench bench) throws SQLException {
        bench.say("  " + id() + ": inserting " + bench.scale().bigTableRows() + " rows");
        OutboxTable.seed(db, bench.scale().bigTableRows(), 0, Payloads.BYTES);
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        BenchDatabase db = Objects.requireNonNull(database);
        LeasingOutboxStore store = JdbcOutboxStores.detect(db.jdbcUrl());
        long[] nanos = new long[scale.claims()];
        try (Connection connection = db.connect()) {
            connection.setAutoCommit(false);
            ClaimRequest request = new ClaimRequest(OWNER, Duration.ofSeconds(30), Duration.ZERO, ROWS);
            for (int claim = -10; claim < nanos.length; claim++) {
                long start = System.nanoTime();
                List<OutboxEvent> rows = store.claim(connection, request);
                connection.commit();
                long took = System.nanoTime() - start;
                if (rows.size() != ROWS) {
                    throw new IllegalStateException("a claim found " + rows.size() + " rows instead of " + ROWS);
                }
                if (claim >= 0) {
                    nanos[claim] = took;
                }
                replace(connection, store, rows);
            }
        }
        return List.of(
                Measurement.millis("p50", Summary.quantile(nanos, 0.5)),
                Measurement.millis("p99", Summary.quantile(nanos, 0.99)));
    }

    /** Settles what was claimed and writes as many new events, so that the table stays as it is. */
    private static void replace(Connection connection, LeasingOutboxStore store, List<OutboxEvent> rows)
            throws SQLException {
        List<Settlement> settlements = new ArrayList<>();
        List<EventEnvelope> fresh = new ArrayList<>();
        for (OutboxEvent row : rows) {
            settlements.add(new Settlement.Done(row.eventId()));
            fresh.add(OwnEngine.event(fresh.size(), 0));
        }
        store.settle(connection, OWNER, settlements);
        store.insertBatch(connection, fresh);
        connection.commit();
    }
}
