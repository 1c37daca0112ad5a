package outbox.benchmark.raw;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import outbox.benchmark.Bench;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.CpuClock;
import outbox.benchmark.Measurement;
import outbox.benchmark.Payloads;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.benchmark.Writers;

/** How many single-row inserts a second the database commits, before anything is delivered. */
public final class RawHot implements Scenario {
    private @Nullable BenchDatabase database;

    @Override
    public String id() {
        return "raw-hot";
    }

    @Override
    public String title() {
        return "raw JDBC: 8 connections insert the same row and commit, nothing is delivered";
    }

    @Override
    public void setUp(Bench bench) throws Exception {
        database = bench.database();
        OutboxTable.create(database);
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        BenchDatabase db = Objects.requireNonNull(database);
        OutboxTable.clear(db);
        CpuClock cpu = CpuClock.start();
        long start = Writers.together(Scale.WRITERS, (writer, go) -> insert(db, writer, scale.hotEvents(), go));
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        if (OutboxTable.pending(db) != scale.hotEvents()) {
            throw new IllegalStateException(OutboxTable.pending(db) + " rows after " + scale.hotEvents() + " inserts");
        }
        return List.of(Measurement.rate(scale.hotEvents(), took), cpu.per1000(scale.hotEvents()));
    }

    private static void insert(BenchDatabase db, int writer, int events, CountDownLatch go) throws Exception {
        try (Connection connection = db.connect();
                PreparedStatement insert = connection.prepareStatement(OutboxTable.insert(db.kind()))) {
            connection.setAutoCommit(false);
            go.await();
            for (int number = writer; number < events; number += Scale.WRITERS) {
                OutboxTable.bind(
                        insert,
                        1,
                        number,
                        0,
                        Payloads.BYTES,
                        "raw-writer-0123456789abcdef",
                        OutboxTable.now(db.kind()));
                insert.executeUpdate();
                connection.commit();
            }
        }
    }
}
