package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.spi.MetricsExporter;

/** In the package of the class, which is not public. */
class TotalMetersTest {
    private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final TotalMeters meters = new TotalMeters(MetricsExporter.NOOP, prometheus, "outbox");

    @Test
    void theNumberOfPendingEventsFallsAgain() {
        meters.recordPending(7);
        assertThat(prometheus.scrape()).contains("outbox_pending_total 7.0");
        meters.recordPending(2);
        assertThat(prometheus.scrape()).contains("outbox_pending_total 2.0");
    }

    @Test
    void theLatencyIsInMilliseconds() {
        meters.recordListenerDuration("Order", "order.placed", Duration.ofNanos(1_500_000));
        assertThat(prometheus.scrape()).contains("outbox_dispatch_latency_ms_sum 1.5");
    }
}
