package outbox.benchmark.own;

import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.benchmark.Arrivals;
import outbox.benchmark.Bench;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Measurement;
import outbox.benchmark.Payloads;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.benchmark.Unit;
import outbox.benchmark.Writers;
import outbox.benchmark.raw.OutboxTable;
import outbox.jdbc.tx.JdbcTransactionManager;

/** What an event costs the business: a transaction of one insert, with and without one. */
public final class BusinessTransaction implements Scenario {
    private final boolean withEvent;
    private @Nullable BenchDatabase database;

    private BusinessTransaction(boolean withEvent) {
        this.withEvent = withEvent;
    }

    public static BusinessTransaction plain() {
        return new BusinessTransaction(false);
    }

    public static BusinessTransaction withEvent() {
        return new BusinessTransaction(true);
    }

    @Override
    public String id() {
        return withEvent ? "business-event" : "business-plain";
    }

    @Override
    public String title() {
        return "this project: business transaction of one insert, 8 writers, "
                + (withEvent ? "with one event that is delivered meanwhile" : "without an event");
    }

    @Override
    public void setUp(Bench bench) throws Exception {
        database = bench.database();
        OutboxTable.create(database);
        database.execute("CREATE TABLE bench_order (id INT PRIMARY KEY, content VARCHAR(1000) NOT NULL)");
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        BenchDatabase db = Objects.requireNonNull(database);
        OutboxTable.clear(db);
        db.execute("TRUNCATE TABLE bench_order");
        Arrivals arrivals = new Arrivals();
        try (OwnEngine engine = new OwnEngine(db, event -> arrivals.run(), 0, builder -> builder)) {
            long start = Writers.write(scale.hotEvents(), number -> order(engine, number));
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (withEvent) {
                arrivals.awaitAll(scale.hotEvents(), engine);
            }
            if (db.askNumber("SELECT COUNT(*) FROM bench_order") != scale.hotEvents()) {
                throw new IllegalStateException("not all orders are there");
            }
            return List.of(Measurement.rate(Measurement.RATE, Unit.TRANSACTIONS_PER_SECOND, scale.hotEvents(), took));
        }
    }

    private void order(OwnEngine engine, int number) throws Exception {
        try (JdbcTransactionManager.Transaction tx = engine.transactions().begin()) {
            try (PreparedStatement insert =
                    tx.connection().prepareStatement("INSERT INTO bench_order (id, content) VALUES (?, ?)")) {
                insert.setInt(1, number);
                insert.setString(2, Payloads.of(number));
                insert.executeUpdate();
            }
            if (withEvent) {
                engine.outbox().writer().write(OwnEngine.event(number, 0));
            }
            tx.commit();
        }
    }
}
