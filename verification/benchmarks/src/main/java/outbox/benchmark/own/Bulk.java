package outbox.benchmark.own;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.benchmark.Bench;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Measurement;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.benchmark.raw.OutboxTable;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;

/** Many events in one transaction, written and left to others. */
public final class Bulk implements Scenario {
    private static final int ROWS = 1000;

    private @Nullable BenchDatabase database;

    @Override
    public String id() {
        return "outbox-bulk";
    }

    @Override
    public String title() {
        return "this project: writeAll(1000) a transaction, one thread, nothing is delivered";
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
        int batches = Math.max(1, scale.bulkEvents() / ROWS);
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        try (HikariDataSource pool = db.pool();
                Outbox outbox = Outbox.writerOnly()
                        .store(JdbcOutboxStores.detect(db.jdbcUrl()))
                        .connections(new DataSourceConnectionProvider(pool))
                        .transactions(txContext)
                        .build()
                        .start()) {
            JdbcTransactionManager transactions =
                    new JdbcTransactionManager(new DataSourceConnectionProvider(pool), txContext);
            long start = System.nanoTime();
            for (int batch = 0; batch < batches; batch++) {
                write(outbox, transactions, batch * ROWS);
            }
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (OutboxTable.pending(db) != (long) batches * ROWS) {
                throw new IllegalStateException("writeAll wrote " + OutboxTable.pending(db) + " rows");
            }
            return List.of(Measurement.rate((long) batches * ROWS, took));
        }
    }

    private static void write(Outbox outbox, JdbcTransactionManager transactions, int first) throws Exception {
        List<EventEnvelope> events = new ArrayList<>(ROWS);
        for (int row = 0; row < ROWS; row++) {
            events.add(OwnEngine.event(first + row, 0));
        }
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            outbox.writer().writeAll(events);
            tx.commit();
        }
    }
}
