package outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;

/**
 * Reports to a {@link MeterRegistry}. Meters without tags exist from the start, so that a dashboard shows zero instead
 * of no data; tagged meters appear with the first event that has the tags. Thread-safe.
 *
 * <pre>{@code
 * Outbox outbox = JdbcOutbox.multiNode(dataSource)
 *     .metrics(new MicrometerMetricsExporter(registry))
 *     ...
 * }</pre>
 *
 * <p>Several outboxes in one registry need a prefix each, such as {@code "orders.outbox"}: counters of the same name
 * would add up, gauges of the same name would show the first outbox only.
 */
public final class MicrometerMetricsExporter implements MetricsExporter {
    /** Default prefix of all meter names. */
    public static final String DEFAULT_PREFIX = "outbox";

    private static final Logger LOG = System.getLogger(MicrometerMetricsExporter.class.getName());

    /** Upper bounds of the latency histogram: from the hot path of an idle system to a backlog. */
    private static final Duration[] LATENCY_BUCKETS = {
        Duration.ofNanos(50_000),
        Duration.ofNanos(100_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(20),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofMinutes(5)
    };

    private final MeterRegistry registry;
    private final String prefix;

    private final Counter hotEnqueued;
    private final Counter hotDropped;
    private final Counter coldEnqueued;
    private final Counter dispatchSuccess;
    private final Counter dispatchFailure;
    private final Counter dispatchDead;
    private final Counter leasesRenewed;
    private final Counter leasesLost;
    private final DistributionSummary claimSize;
    private final DistributionSummary settlementSize;
    private final Timer deliveryLatency;

    private final AtomicInteger hotDepth = new AtomicInteger();
    private final AtomicInteger coldDepth = new AtomicInteger();
    private final AtomicLong oldestLagMs = new AtomicLong();
    private final AtomicLong oldestPendingAgeMs = new AtomicLong();
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicInteger dead = new AtomicInteger();

    private final AtomicReference<@Nullable CdcGauges> cdc = new AtomicReference<>();

    private final ConcurrentMap<Route, Timer> listenerDurations = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, AtomicInteger> breakerStates = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> timeouts = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, AtomicInteger> hungCalls = new ConcurrentHashMap<>();

    /** Registered with the first report: only outboxes delivered by CDC have them. */
    private static final class CdcGauges {
        private final AtomicLong lagMs = new AtomicLong();
        private final AtomicLong retainedBytes = new AtomicLong();
    }

    private record Route(String aggregateType, String eventType) {}

    /** Meters that begin with {@value #DEFAULT_PREFIX}. */
    public MicrometerMetricsExporter(MeterRegistry registry) {
        this(registry, DEFAULT_PREFIX);
    }

    /**
     * @param namePrefix prefix of all meter names, without a trailing dot
     * @throws IllegalArgumentException if the prefix is blank or ends with a dot
     */
    public MicrometerMetricsExporter(MeterRegistry registry, String namePrefix) {
        this.registry = Objects.requireNonNull(registry, "registry");
        if (namePrefix.isBlank() || namePrefix.endsWith(".")) {
            throw new IllegalArgumentException(
                    "namePrefix must be a name without a trailing dot, such as orders.outbox: '" + namePrefix + "'");
        }
        this.prefix = namePrefix;
        if (registry.find(name("queue.hot.depth")).gauge() != null) {
            LOG.log(
                    Level.WARNING,
                    "meters with the prefix '" + namePrefix + "' exist already: counters will add up and gauges keep"
                            + " showing the earlier outbox; give each outbox its own prefix");
        }
        this.hotEnqueued = counter("enqueue.hot", "Events delivered to the hot queue after commit");
        this.hotDropped = counter("enqueue.hot.dropped", "Events the poller delivers because the hot queue was full");
        this.coldEnqueued = counter("enqueue.cold", "Events claimed from the table into the cold queue");
        this.dispatchSuccess = counter("dispatch.success", "Events delivered");
        this.dispatchFailure = counter("dispatch.failure", "Failed deliveries that will be retried");
        this.dispatchDead = counter("dispatch.dead", "Events that became dead letters");
        this.leasesRenewed = counter("lease.renewed", "Leases renewed while their event was in flight");
        this.leasesLost = counter("lease.lost", "Leases lost to another node");
        this.claimSize = summary("claim.size", "rows", "Rows returned by one claim or poll");
        this.settlementSize = summary("settlement.size", "outcomes", "Outcomes written in one transaction");
        this.deliveryLatency = Timer.builder(name("delivery.latency"))
                .description("From the commit (hot) or the claim (cold) to the call of the listener")
                .serviceLevelObjectives(LATENCY_BUCKETS)
                .register(registry);
        gauge("queue.hot.depth", "Events in the hot queue", hotDepth);
        gauge("queue.cold.depth", "Events in the cold queue", coldDepth);
        gauge("lag.oldest.ms", "Age of the oldest event of the last poll, in milliseconds", oldestLagMs);
        gauge("pending", "Pending events, due or not, counted up to 10 000", pending);
        gauge("dead", "Dead letters, parked ones included, counted up to 10 000", dead);
        TimeGauge.builder(name("pending.oldest.age"), oldestPendingAgeMs::get, TimeUnit.MILLISECONDS)
                .description("How long the oldest undelivered event has been due")
                .register(registry);
    }

    private String name(String suffix) {
        return prefix + "." + suffix;
    }

    private Counter counter(String suffix, String description) {
        return Counter.builder(name(suffix)).description(description).register(registry);
    }

    private DistributionSummary summary(String suffix, String unit, String description) {
        return DistributionSummary.builder(name(suffix))
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }

    /** The registry holds the value strongly: a gauge must not turn into NaN when nobody else refers to it. */
    private void gauge(String suffix, String description, Number value) {
        Gauge.builder(name(suffix), () -> value).description(description).register(registry);
    }

    @Override
    public void incrementHotEnqueued() {
        hotEnqueued.increment();
    }

    @Override
    public void incrementHotDropped() {
        hotDropped.increment();
    }

    @Override
    public void incrementColdEnqueued() {
        coldEnqueued.increment();
    }

    @Override
    public void incrementDispatchSuccess() {
        dispatchSuccess.increment();
    }

    @Override
    public void incrementDispatchFailure() {
        dispatchFailure.increment();
    }

    @Override
    public void incrementDispatchDead() {
        dispatchDead.increment();
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        this.hotDepth.set(hotDepth);
        this.coldDepth.set(coldDepth);
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        oldestLagMs.set(lagMs);
    }

    @Override
    public void recordClaimSize(int rows) {
        claimSize.record(rows);
    }

    @Override
    public void recordSettlementSize(int outcomes) {
        settlementSize.record(outcomes);
    }

    @Override
    public void recordDeliveryLatency(Duration latency) {
        deliveryLatency.record(latency);
    }

    @Override
    public void recordListenerDuration(String aggregateType, String eventType, Duration duration) {
        listenerDurations
                .computeIfAbsent(new Route(aggregateType, eventType), this::listenerTimer)
                .record(duration);
    }

    private Timer listenerTimer(Route route) {
        return Timer.builder(name("listener.duration"))
                .description("Duration of listener calls, successful or not")
                .tag("aggregate.type", route.aggregateType())
                .tag("event.type", route.eventType())
                .register(registry);
    }

    @Override
    public void incrementLeasesRenewed(int count) {
        leasesRenewed.increment(count);
    }

    @Override
    public void incrementLeasesLost(int count) {
        leasesLost.increment(count);
    }

    @Override
    public void recordPending(int rows) {
        pending.set(rows);
    }

    @Override
    public void recordDead(int rows) {
        dead.set(rows);
    }

    @Override
    public void recordOldestPendingAge(Duration age) {
        oldestPendingAgeMs.set(age.toMillis());
    }

    @Override
    public void recordBreakerState(String listener, BreakerState state) {
        breakerStates.computeIfAbsent(listener, this::breakerGauge).set(valueOf(state));
    }

    @Override
    public void incrementTimeouts(String listener) {
        timeouts.computeIfAbsent(listener, this::timeoutCounter).increment();
    }

    private Counter timeoutCounter(String listener) {
        return Counter.builder(name("listener.timeouts"))
                .description("Listener calls that exceeded their time limit")
                .tag("listener", listener)
                .register(registry);
    }

    @Override
    public void adjustHungCalls(String listener, int change) {
        hungCalls.computeIfAbsent(listener, this::hungGauge).addAndGet(change);
    }

    private AtomicInteger hungGauge(String listener) {
        AtomicInteger value = new AtomicInteger();
        Gauge.builder(name("listener.hung"), () -> value)
                .description("Hung listener calls: past their time limit and still running")
                .tag("listener", listener)
                .register(registry);
        return value;
    }

    @Override
    public void recordCdcLag(Duration lag) {
        cdcGauges().lagMs.set(lag.toMillis());
    }

    @Override
    public void recordCdcRetainedBytes(long bytes) {
        cdcGauges().retainedBytes.set(bytes);
    }

    private CdcGauges cdcGauges() {
        CdcGauges gauges = cdc.get();
        if (gauges != null) {
            return gauges;
        }
        CdcGauges made = new CdcGauges();
        if (!cdc.compareAndSet(null, made)) {
            return Objects.requireNonNull(cdc.get());
        }
        TimeGauge.builder(name("cdc.lag"), made.lagMs::get, TimeUnit.MILLISECONDS)
                .description("Time since the commit of the oldest event in flight in the CDC relay")
                .register(registry);
        Gauge.builder(name("cdc.retained"), made.retainedBytes::get)
                .baseUnit("bytes")
                .description("Bytes of log the database retains for the CDC relay")
                .register(registry);
        return made;
    }

    private AtomicInteger breakerGauge(String listener) {
        AtomicInteger value = new AtomicInteger();
        Gauge.builder(name("breaker.state"), () -> value)
                .description("Circuit breaker of a listener: 0 closed, 1 half-open, 2 open")
                .tag("listener", listener)
                .register(registry);
        return value;
    }

    /** Worse states have higher values, so that an alert can use the maximum. */
    private static int valueOf(BreakerState state) {
        return switch (state) {
            case CLOSED -> 0;
            case HALF_OPEN -> 1;
            case OPEN -> 2;
        };
    }
}
