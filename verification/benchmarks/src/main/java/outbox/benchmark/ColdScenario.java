package outbox.benchmark;

import java.time.Duration;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** A table full of pending events, from the first delivery until the last is delivered and recorded as such. */
public final class ColdScenario implements Scenario {
    private final String id;
    private final Contender contender;
    private final ToIntFunction<Scale> events;
    private @Nullable BenchDatabase database;

    public ColdScenario(String id, Contender contender, ToIntFunction<Scale> events) {
        this.id = id;
        this.contender = contender;
        this.events = events;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String title() {
        return contender.title() + ": drains a table of pending events";
    }

    @Override
    public void setUp(Bench bench) throws Exception {
        database = bench.database();
        contender.createTables(database);
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        BenchDatabase db = java.util.Objects.requireNonNull(database);
        int count = events.applyAsInt(scale);
        contender.clear(db);
        contender.seed(db, count);
        CpuClock cpu = CpuClock.start();
        Arrivals arrivals = new Arrivals();
        try (Contender.Engine engine = contender.start(db, arrivals)) {
            long end = arrivals.awaitAll(count, engine);
            return List.of(Measurement.rate(count, Duration.ofNanos(end - arrivals.firstAt())), cpu.per1000(count));
        }
    }
}
