package outbox.doctor;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.EventInterceptor;

/**
 * Measures listener durations per event type: an interceptor that counts them in buckets, each a quarter wider than the
 * previous one. Uses a fixed amount of memory per event type and no locks. Thread-safe.
 *
 * <pre>{@code
 * ListenerTimes times = new ListenerTimes();
 * Outbox outbox = JdbcOutbox.multiNode(dataSource).interceptor(times)…
 * Doctor.of(dataSource).outbox(outbox).listenerTimes(times).examine();
 * }</pre>
 */
public final class ListenerTimes implements EventInterceptor {
    /** Further types are counted together, because type names are not bounded. */
    static final int MAX_TYPES = 1000;

    static final String OTHERS = "(others)";
    private static final double GROWTH = 1.25;
    private static final long FIRST_NANOS = 10_000;
    private static final int BUCKETS = 110;

    private final LongSupplier nanos;
    private final Map<String, Long> running = new ConcurrentHashMap<>();
    private final Map<String, AtomicLongArray> byType = new ConcurrentHashMap<>();

    public ListenerTimes() {
        this(System::nanoTime);
    }

    ListenerTimes(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Statistics of a type: {@code p99} is never below the true value and at most a quarter above it. */
    record Summary(long count, Duration p99) {}

    @Override
    public void beforeDispatch(EventEnvelope event) {
        running.put(event.eventId(), nanos.getAsLong());
    }

    @Override
    public void afterDispatch(EventEnvelope event, @Nullable Exception error) {
        Long start = running.remove(event.eventId());
        if (start != null) {
            count(event.eventType(), nanos.getAsLong() - start);
        }
    }

    private void count(String eventType, long duration) {
        String type = byType.containsKey(eventType) || byType.size() < MAX_TYPES ? eventType : OTHERS;
        byType.computeIfAbsent(type, name -> new AtomicLongArray(BUCKETS)).incrementAndGet(bucket(duration));
    }

    private static int bucket(long duration) {
        if (duration <= FIRST_NANOS) {
            return 0;
        }
        double steps = Math.log((double) duration / FIRST_NANOS) / Math.log(GROWTH);
        return Math.min(BUCKETS - 1, (int) Math.ceil(steps));
    }

    Map<String, Summary> summaries() {
        Map<String, Summary> all = new TreeMap<>();
        byType.forEach((type, buckets) -> all.put(type, summary(buckets)));
        return all;
    }

    private static Summary summary(AtomicLongArray buckets) {
        long count = 0;
        for (int i = 0; i < BUCKETS; i++) {
            count += buckets.get(i);
        }
        long below = 0;
        int bucket = 0;
        while (bucket < BUCKETS - 1 && (below += buckets.get(bucket)) < Math.ceil(count * 0.99)) {
            bucket++;
        }
        return new Summary(count, Duration.ofNanos((long) (FIRST_NANOS * Math.pow(GROWTH, bucket))));
    }
}
