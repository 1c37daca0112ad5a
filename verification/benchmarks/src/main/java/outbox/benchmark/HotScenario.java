package outbox.benchmark;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Eight writers, one event a transaction, until the last event is delivered and recorded as such. */
public final class HotScenario implements Scenario {
    private static final int WARM_UP_EVENTS = 200;

    private final String id;
    private final Contender contender;
    private @Nullable BenchDatabase database;

    public HotScenario(String id, Contender contender) {
        this.id = id;
        this.contender = contender;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String title() {
        return contender.title() + ": 8 writers, one event a transaction, all delivered and settled";
    }

    @Override
    public void setUp(Bench bench) throws Exception {
        database = bench.database();
        contender.createTables(database);
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        BenchDatabase db = java.util.Objects.requireNonNull(database);
        contender.clear(db);
        Arrivals arrivals = new Arrivals();
        try (Contender.Engine engine = contender.start(db, arrivals)) {
            int warmUp = Math.min(WARM_UP_EVENTS, scale.hotEvents());
            Writers.write(warmUp, engine::write);
            arrivals.awaitAll(warmUp, engine);
            CpuClock cpu = CpuClock.start();
            long start = Writers.write(scale.hotEvents(), engine::write);
            long written = System.nanoTime();
            long end = arrivals.awaitAll((long) warmUp + scale.hotEvents(), engine);
            return List.of(
                    Measurement.rate(scale.hotEvents(), Duration.ofNanos(end - start)),
                    Measurement.millis("behind", (double) (end - written)),
                    cpu.per1000(scale.hotEvents()));
        }
    }
}
