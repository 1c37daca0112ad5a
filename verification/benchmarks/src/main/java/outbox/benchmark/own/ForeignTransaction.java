package outbox.benchmark.own;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import outbox.benchmark.Arrivals;
import outbox.benchmark.Bench;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.BenchServer;
import outbox.benchmark.Measurement;
import outbox.benchmark.NotAvailable;
import outbox.benchmark.Payloads;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.benchmark.Writers;
import outbox.benchmark.raw.OutboxTable;

/**
 * A transaction that somebody forgot: while it is open, PostgreSQL cannot remove the old versions of rows, and
 * neither claims nor settlements may suffer from them.
 */
public final class ForeignTransaction implements Scenario {
    private final boolean held;
    private final boolean hot;
    private @Nullable BenchDatabase database;

    private ForeignTransaction(boolean held, boolean hot) {
        this.held = held;
        this.hot = hot;
    }

    /** Hot and cold, each without and with the foreign transaction. */
    public static List<Scenario> all() {
        return List.of(
                new ForeignTransaction(false, true),
                new ForeignTransaction(true, true),
                new ForeignTransaction(false, false),
                new ForeignTransaction(true, false));
    }

    @Override
    public String id() {
        return (held ? "foreign" : "free") + (hot ? "-hot" : "-cold");
    }

    @Override
    public String title() {
        return "this project: " + (hot ? "8 writers for a while" : "cold drain")
                + (held ? " while a foreign transaction stays open" : ", no foreign transaction");
    }

    @Override
    public void setUp(Bench bench) throws Exception {
        if (bench.server().kind() != BenchServer.Kind.POSTGRESQL && held) {
            throw new NotAvailable("only PostgreSQL keeps old row versions in the table");
        }
        database = bench.database();
        OutboxTable.create(database);
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        BenchDatabase db = Objects.requireNonNull(database);
        OutboxTable.clear(db);
        if (!hot) {
            OutboxTable.seed(db, scale.coldEvents(), 0, Payloads.BYTES);
        }
        try (Connection foreign = db.connect()) {
            if (held) {
                begin(foreign);
            }
            return hot ? hot(db, scale.hold()) : cold(db, scale.coldEvents());
        }
    }

    private static void begin(Connection foreign) throws SQLException {
        foreign.setAutoCommit(false);
        foreign.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = foreign.createStatement()) {
            statement.execute("CREATE TEMPORARY TABLE forgotten (id INT)"); // it gets an id of its own
            statement.execute("SELECT COUNT(*) FROM " + OutboxTable.NAME);
        }
    }

    private static List<Measurement> hot(BenchDatabase db, Duration time) throws Exception {
        Arrivals arrivals = new Arrivals();
        AtomicInteger numbers = new AtomicInteger();
        try (OwnEngine engine = new OwnEngine(db, event -> arrivals.run(), 0, builder -> builder)) {
            long until = System.nanoTime() + time.toNanos();
            long start = Writers.together(Scale.WRITERS, (writer, go) -> {
                go.await();
                while (System.nanoTime() < until) {
                    engine.write(numbers.getAndIncrement());
                }
            });
            long end = arrivals.awaitAll(numbers.get(), engine);
            return List.of(Measurement.rate(numbers.get(), Duration.ofNanos(end - start)));
        }
    }

    private static List<Measurement> cold(BenchDatabase db, int events) throws Exception {
        Arrivals arrivals = new Arrivals();
        try (OwnEngine engine = new OwnEngine(db, event -> arrivals.run(), 0, builder -> builder)) {
            long end = arrivals.awaitAll(events, engine);
            return List.of(Measurement.rate(events, Duration.ofNanos(end - arrivals.firstAt())));
        }
    }
}
