package outbox.benchmark.own;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.benchmark.Bench;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Measurement;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.benchmark.Summary;
import outbox.benchmark.Unit;
import outbox.benchmark.Writers;
import outbox.benchmark.raw.OutboxTable;

/** From the moment a commit has returned to the first line of the listener. */
public final class Latency implements Scenario {
    private static final int WARM_UP = 500;
    private static final long IDLE_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final boolean loaded;
    private @Nullable BenchDatabase database;

    private Latency(boolean loaded) {
        this.loaded = loaded;
    }

    /** One event at a time, with pauses. */
    public static Latency idle() {
        return new Latency(false);
    }

    /** Eight writers at full speed. */
    public static Latency loaded() {
        return new Latency(true);
    }

    @Override
    public String id() {
        return loaded ? "latency-loaded" : "latency-idle";
    }

    @Override
    public String title() {
        return "this project: commit → listener entry, "
                + (loaded ? "8 writers at full speed" : "one event at a time, 2 ms apart");
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
        int events = loaded ? scale.hotEvents() : scale.latencySamples();
        Clocked clocked = new Clocked(WARM_UP + events);
        try (OwnEngine engine = new OwnEngine(db, clocked::arrived, 0, builder -> builder)) {
            if (loaded) {
                Writers.write(WARM_UP + events, number -> clocked.write(engine, number));
            } else {
                for (int number = 0; number < WARM_UP + events; number++) {
                    clocked.write(engine, number);
                    clocked.awaitOne();
                    LockSupport.parkNanos(IDLE_GAP_NANOS);
                }
            }
            clocked.awaitAll();
            long[] nanos = clocked.nanos(WARM_UP);
            return List.of(
                    Measurement.millis("p50", Summary.quantile(nanos, 0.5)),
                    Measurement.millis("p99", Summary.quantile(nanos, 0.99)),
                    Measurement.millis("max", Summary.quantile(nanos, 1)),
                    new Measurement(
                            "left to the poller", Unit.EVENTS, engine.counts().cold()));
        }
    }

    /** Both ends of the way of every event. */
    private static final class Clocked {
        private final AtomicLongArray committedAt;
        private final AtomicLongArray arrivedAt;
        private final Semaphore arrivals = new Semaphore(0);
        private int awaited;

        Clocked(int events) {
            this.committedAt = new AtomicLongArray(events);
            this.arrivedAt = new AtomicLongArray(events);
        }

        void write(OwnEngine engine, int number) throws Exception {
            engine.write(number, () -> committedAt.set(number, System.nanoTime()));
        }

        void arrived(EventEnvelope event) {
            long now = System.nanoTime();
            String payload = Objects.requireNonNull(event.payloadJson());
            int number = Integer.parseInt(payload.substring(payload.indexOf(':') + 1, payload.indexOf(','))
                    .strip());
            arrivedAt.set(number, now);
            arrivals.release();
        }

        void awaitOne() throws InterruptedException {
            awaited++;
            if (!arrivals.tryAcquire(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("event " + awaited + " did not arrive within 30 s");
            }
        }

        void awaitAll() throws InterruptedException {
            while (awaited < arrivedAt.length()) {
                awaitOne();
            }
        }

        long[] nanos(int from) {
            long[] nanos = new long[arrivedAt.length() - from];
            Arrays.setAll(nanos, i -> arrivedAt.get(from + i) - committedAt.get(from + i));
            return nanos;
        }
    }
}
