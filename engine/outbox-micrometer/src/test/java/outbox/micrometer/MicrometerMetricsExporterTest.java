package outbox.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.dispatch.RetryPolicy;
import outbox.listener.ControlledListener;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;

class MicrometerMetricsExporterTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);

    @Test
    void allMetersWithoutTagsExistFromTheStart() {
        assertThat(meterNames())
                .containsExactly(
                        "outbox.claim.size",
                        "outbox.dead",
                        "outbox.delivery.latency",
                        "outbox.dispatch.dead",
                        "outbox.dispatch.failure",
                        "outbox.dispatch.success",
                        "outbox.enqueue.cold",
                        "outbox.enqueue.hot",
                        "outbox.enqueue.hot.dropped",
                        "outbox.lag.oldest.ms",
                        "outbox.lease.lost",
                        "outbox.lease.renewed",
                        "outbox.pending",
                        "outbox.pending.oldest.age",
                        "outbox.queue.cold.depth",
                        "outbox.queue.hot.depth",
                        "outbox.settlement.size");
    }

    @Test
    void hungCallsOfAListenerAreAGaugeAndItsTimeoutsACounter() {
        exporter.incrementTimeouts("mail");
        exporter.incrementTimeouts("mail");
        exporter.adjustHungCalls("mail", 1);
        exporter.adjustHungCalls("mail", 1);
        exporter.adjustHungCalls("mail", -1);

        assertThat(registry.get("outbox.listener.timeouts")
                        .tag("listener", "mail")
                        .counter()
                        .count())
                .isEqualTo(2);
        assertThat(registry.get("outbox.listener.hung")
                        .tag("listener", "mail")
                        .gauge()
                        .value())
                .isEqualTo(1);
    }

    @Test
    void countersCount() {
        exporter.incrementHotEnqueued();
        exporter.incrementHotEnqueued();
        exporter.incrementHotDropped();
        exporter.incrementColdEnqueued();
        exporter.incrementDispatchSuccess();
        exporter.incrementDispatchFailure();
        exporter.incrementDispatchDead();
        exporter.incrementLeasesRenewed(3);
        exporter.incrementLeasesLost(2);

        assertThat(count("outbox.enqueue.hot")).isEqualTo(2);
        assertThat(count("outbox.enqueue.hot.dropped")).isEqualTo(1);
        assertThat(count("outbox.enqueue.cold")).isEqualTo(1);
        assertThat(count("outbox.dispatch.success")).isEqualTo(1);
        assertThat(count("outbox.dispatch.failure")).isEqualTo(1);
        assertThat(count("outbox.dispatch.dead")).isEqualTo(1);
        assertThat(count("outbox.lease.renewed")).isEqualTo(3);
        assertThat(count("outbox.lease.lost")).isEqualTo(2);
    }

    @Test
    void gaugesShowTheLastValue() {
        exporter.recordQueueDepths(5, 6);
        exporter.recordQueueDepths(7, 8);
        exporter.recordOldestLagMs(1234);
        exporter.recordOldestPendingAge(Duration.ofSeconds(90));
        exporter.recordPending(17);
        assertThat(registry.get("outbox.pending").gauge().value()).isEqualTo(17);
        exporter.recordDead(3);
        assertThat(gauge("outbox.dead")).isEqualTo(3);

        assertThat(gauge("outbox.queue.hot.depth")).isEqualTo(7);
        assertThat(gauge("outbox.queue.cold.depth")).isEqualTo(8);
        assertThat(gauge("outbox.lag.oldest.ms")).isEqualTo(1234);
        assertThat(registry.get("outbox.pending.oldest.age").timeGauge().value(TimeUnit.SECONDS))
                .isEqualTo(90);
    }

    @Test
    void sizesAreSummaries() {
        exporter.recordClaimSize(500);
        exporter.recordClaimSize(0);
        exporter.recordSettlementSize(40);

        assertThat(registry.get("outbox.claim.size").summary().count()).isEqualTo(2);
        assertThat(registry.get("outbox.claim.size").summary().totalAmount()).isEqualTo(500);
        assertThat(registry.get("outbox.settlement.size").summary().max()).isEqualTo(40);
    }

    @Test
    void deliveryLatencyHasAHistogramThatTellsTheHotPathFromABacklog() {
        exporter.recordDeliveryLatency(Duration.ofNanos(40_000));
        exporter.recordDeliveryLatency(Duration.ofSeconds(20));

        Timer timer = registry.get("outbox.delivery.latency").timer();
        assertThat(timer.count()).isEqualTo(2);
        assertThat(Arrays.stream(timer.takeSnapshot().histogramCounts())
                        .collect(Collectors.toMap(
                                bucket -> Duration.ofNanos((long) bucket.bucket()), bucket -> (int) bucket.count())))
                .containsEntry(Duration.ofNanos(50_000), 1)
                .containsEntry(Duration.ofSeconds(30), 2)
                .hasSize(15);
    }

    @Test
    void listenerDurationIsTaggedByWhatTheListenerIsRegisteredFor() {
        exporter.recordListenerDuration("Order", "OrderPlaced", Duration.ofMillis(5));
        exporter.recordListenerDuration("Order", "OrderPlaced", Duration.ofMillis(7));
        exporter.recordListenerDuration("Order", "OrderPaid", Duration.ofMillis(1));

        assertThat(registry.get("outbox.listener.duration")
                        .tags("aggregate.type", "Order", "event.type", "OrderPlaced")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(12);
        assertThat(registry.get("outbox.listener.duration").timers()).hasSize(2);
    }

    @Test
    void aReaderOfTheLogHasItsOwnGaugesFromItsFirstReportOn() {
        assertThat(registry.find("outbox.cdc.lag").timeGauge()).isNull();
        exporter.recordCdcLag(Duration.ofSeconds(3));
        exporter.recordCdcRetainedBytes(4096);

        assertThat(registry.get("outbox.cdc.lag").timeGauge().value(TimeUnit.SECONDS))
                .isEqualTo(3);
        assertThat(registry.get("outbox.cdc.retained").gauge().value()).isEqualTo(4096);
    }

    @Test
    void breakerStateIsHigherTheWorseItIs() {
        exporter.recordBreakerState("mail", BreakerState.OPEN);
        assertThat(breaker("mail")).isEqualTo(2);
        exporter.recordBreakerState("mail", BreakerState.HALF_OPEN);
        assertThat(breaker("mail")).isEqualTo(1);
        exporter.recordBreakerState("mail", BreakerState.CLOSED);
        assertThat(breaker("mail")).isZero();
    }

    @Test
    void aPrefixKeepsTwoOutboxesApart() {
        new MicrometerMetricsExporter(registry, "orders.outbox").incrementDispatchSuccess();

        assertThat(count("orders.outbox.dispatch.success")).isEqualTo(1);
        assertThat(count("outbox.dispatch.success")).isZero();
    }

    @Test
    void aPrefixThatMakesBrokenNamesIsRefused() {
        assertThatThrownBy(() -> new MicrometerMetricsExporter(registry, " "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("namePrefix");
        assertThatThrownBy(() -> new MicrometerMetricsExporter(registry, "orders."))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'orders.'");
    }

    @Test
    void gaugesLiveAsLongAsTheRegistryWhoeverForgetsTheExporter() {
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        new MicrometerMetricsExporter(other).recordQueueDepths(3, 4);
        System.gc();

        assertThat(other.get("outbox.queue.hot.depth").gauge().value()).isEqualTo(3);
    }

    /** A figure that the engine may report one day must not be dropped here without anybody noticing. */
    @Test
    void everyFigureOfTheEngineIsExported() {
        assertThat(Arrays.stream(MetricsExporter.class.getMethods()).map(java.lang.reflect.Method::getName))
                .allSatisfy(name -> assertThat(Arrays.stream(MicrometerMetricsExporter.class.getDeclaredMethods())
                                .map(java.lang.reflect.Method::getName))
                        .contains(name));
    }

    @Test
    void aRunningOutboxFillsTheMeters() throws Exception {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTxContext tx = store.txContext();
        RetryPolicy atOnce = attempts -> 1;
        CountDownLatch delivered = new CountDownLatch(1);
        DefaultListenerRegistry listeners = new DefaultListenerRegistry()
                .register("Order", "OrderPlaced", event -> delivered.countDown())
                .register(
                        "Order",
                        "OrderPaid",
                        ControlledListener.of(event -> {
                                    throw new IllegalStateException("bank is closed");
                                })
                                .name("bank")
                                .maxAttempts(2)
                                .circuitBreaker(2, Duration.ofMinutes(1))
                                .build());
        try (Outbox outbox = Outbox.singleNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .listeners(listeners)
                .retryPolicy(atOnce)
                .pollInterval(Duration.ofMillis(10))
                .metrics(exporter)
                .build()
                .start()) {
            tx.inTransaction(() -> {
                outbox.writer().write(order("OrderPlaced"));
                outbox.writer().write(order("OrderPaid"));
            });
            assertThat(delivered.await(60, TimeUnit.SECONDS)).isTrue();
            Awaitility.await().untilAsserted(() -> {
                assertThat(count("outbox.enqueue.hot")).isEqualTo(2);
                assertThat(count("outbox.enqueue.cold")).isEqualTo(1);
                assertThat(count("outbox.dispatch.success")).isEqualTo(1);
                assertThat(count("outbox.dispatch.failure")).isEqualTo(1);
                assertThat(count("outbox.dispatch.dead")).isEqualTo(1);
                assertThat(registry.get("outbox.delivery.latency").timer().count())
                        .isEqualTo(3);
                assertThat(registry.get("outbox.settlement.size").summary().totalAmount())
                        .isEqualTo(3);
                assertThat(registry.get("outbox.claim.size").summary().totalAmount())
                        .isEqualTo(1);
                assertThat(breaker("bank")).isEqualTo(2);
            });
        }
    }

    private static EventEnvelope order(String type) {
        return EventEnvelope.builder(type)
                .aggregateType("Order")
                .aggregateId("42")
                .payloadJson("{}")
                .build();
    }

    private Set<String> meterNames() {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .map(Meter.Id::getName)
                .filter(name -> !name.endsWith(".histogram")) // how the simple registry keeps the buckets
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private double count(String name) {
        return registry.get(name).counter().count();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private double breaker(String listener) {
        return registry.get("outbox.breaker.state")
                .tag("listener", listener)
                .gauge()
                .value();
    }
}
