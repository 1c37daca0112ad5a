package outbox.benchmark.own;

import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.benchmark.Arrivals;
import outbox.benchmark.Bench;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.CpuClock;
import outbox.benchmark.Measurement;
import outbox.benchmark.Payloads;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.benchmark.Unit;
import outbox.benchmark.Writers;
import outbox.benchmark.raw.OutboxTable;
import outbox.jdbc.tx.JdbcTransactionManager;

/**
 * What an event costs the business: a transaction of one insert, with and without one. Between them stands the same
 * transaction with the row of the event inserted by hand and nothing delivered, which tells how much of the cost is the
 * second insert.
 */
public final class BusinessTransaction implements Scenario {
    private final Kind kind;
    private @Nullable BenchDatabase database;

    private enum Kind {
        PLAIN("business-plain", "without an event"),
        ROW("business-row", "with the row of an event inserted by hand, nothing is delivered"),
        EVENT("business-event", "with one event that is delivered meanwhile");

        private final String id;
        private final String what;

        Kind(String id, String what) {
            this.id = id;
            this.what = what;
        }
    }

    private BusinessTransaction(Kind kind) {
        this.kind = kind;
    }

    /** In the order of what they cost. */
    public static List<BusinessTransaction> all() {
        return Stream.of(Kind.values()).map(BusinessTransaction::new).toList();
    }

    @Override
    public String id() {
        return kind.id;
    }

    @Override
    public String title() {
        return "business transaction of one insert, 8 writers, " + kind.what;
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
            CpuClock cpu = CpuClock.start();
            long start = Writers.write(scale.hotEvents(), number -> order(engine, number));
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (kind == Kind.EVENT) {
                arrivals.awaitAll(scale.hotEvents(), engine);
            }
            Measurement cost = cpu.per1000(scale.hotEvents());
            if (db.askNumber("SELECT COUNT(*) FROM bench_order") != scale.hotEvents()) {
                throw new IllegalStateException("not all orders are there");
            }
            return List.of(
                    Measurement.rate(Measurement.RATE, Unit.TRANSACTIONS_PER_SECOND, scale.hotEvents(), took), cost);
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
            if (kind == Kind.EVENT) {
                engine.outbox().writer().write(OwnEngine.event(number, 0));
            } else if (kind == Kind.ROW) {
                OutboxTable.insertHeld(Objects.requireNonNull(database).kind(), tx.connection(), number);
            }
            tx.commit();
        }
    }
}
