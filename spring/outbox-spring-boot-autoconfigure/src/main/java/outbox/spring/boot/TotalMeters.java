package outbox.spring.boot;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.spi.ForwardingMetrics;
import outbox.spi.MetricsExporter;
import outbox.spring.boot.properties.OutboxProperties;

/**
 * The meters of {@code outbox.metrics.totals}. In Prometheus they are named {@code outbox_pending_total}, {@code
 * outbox_retry_total}, {@code outbox_failed_permanent_total} and {@code outbox_dispatch_latency_ms}.
 */
final class TotalMeters extends ForwardingMetrics {
    private final MetricsExporter inner;
    private final AtomicInteger pending = new AtomicInteger();
    private final Counter retries;
    private final Counter dead;
    private final DistributionSummary latency;

    TotalMeters(MetricsExporter inner, MeterRegistry registry, String prefix) {
        this.inner = inner;
        // Only counters may end with _total in Prometheus, although this one falls too.
        FunctionCounter.builder(prefix + ".pending.total", pending, AtomicInteger::get)
                .description("Pending events, due or not, counted up to 10 000; the current number, not a sum")
                .register(registry);
        this.retries = Counter.builder(prefix + ".retry.total")
                .description("Failed deliveries that will be retried")
                .register(registry);
        this.dead = Counter.builder(prefix + ".failed.permanent.total")
                .description("Events that became dead letters")
                .register(registry);
        this.latency = DistributionSummary.builder(prefix + ".dispatch.latency.ms")
                .description("Duration of listener calls, successful or not, in milliseconds")
                .register(registry);
    }

    @Override
    protected void forward(Consumer<MetricsExporter> report) {
        report.accept(inner);
    }

    @Override
    public void recordPending(int rows) {
        pending.set(rows);
        super.recordPending(rows);
    }

    @Override
    public void incrementDispatchFailure() {
        retries.increment();
        super.incrementDispatchFailure();
    }

    @Override
    public void incrementDispatchDead() {
        dead.increment();
        super.incrementDispatchDead();
    }

    @Override
    public void recordListenerDuration(String aggregateType, String eventType, Duration duration) {
        latency.record(duration.toNanos() / 1_000_000.0);
        super.recordListenerDuration(aggregateType, eventType, duration);
    }

    /** Prometheus takes a counter {@code outbox_pending_total} and a gauge {@code outbox_pending} for the same metric. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterFilter.class)
    @ConditionalOnProperty(prefix = "outbox.metrics", name = "totals", havingValue = "true")
    static class WithoutPendingGauge {
        @Bean
        static MeterFilter outboxTotalsFilter(OutboxProperties properties) {
            String gauge = properties.getMetrics().getPrefix() + ".pending";
            Set<String> names = Stream.concat(
                            Stream.of(gauge),
                            properties.getInstances().keySet().stream().map(instance -> instance + "." + gauge))
                    .collect(Collectors.toUnmodifiableSet());
            return new MeterFilter() {
                @Override
                public MeterFilterReply accept(Meter.Id id) {
                    return names.contains(id.getName()) ? MeterFilterReply.DENY : MeterFilterReply.NEUTRAL;
                }
            };
        }
    }
}
