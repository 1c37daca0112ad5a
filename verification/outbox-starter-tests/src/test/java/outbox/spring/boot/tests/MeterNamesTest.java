package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spi.MetricsExporter;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** The four names of {@code outbox.metrics.totals}, as Prometheus reads them. */
class MeterNamesTest {
    /** Fails once for each order, and always for {@code lost}. */
    static class Unreliable {
        final List<String> calls = new CopyOnWriteArrayList<>();

        @EventHandler(name = "unreliable")
        void on(OrderPlaced event) {
            calls.add(event.orderId());
            if (event.orderId().equals("lost") || calls.size() == 1) {
                throw new IllegalStateException("the shop is closed");
            }
        }
    }

    @Test
    void prometheusReadsAllFourWithTheirValues() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        app(Unreliable.class)
                .withBean(PrometheusMeterRegistry.class, () -> prometheus)
                .withPropertyValues(
                        "outbox.metrics.totals=true",
                        "outbox.retry.max-attempts=2",
                        "outbox.retry.base-delay=1ms",
                        "outbox.retry.max-delay=1ms")
                .run(context -> {
                    assertThat(prometheus.scrape())
                            .contains("outbox_pending_total 0.0", "outbox_retry_total 0.0")
                            .contains("outbox_failed_permanent_total 0.0", "outbox_dispatch_latency_ms_count 0")
                            .as("the same metric for Prometheus")
                            .doesNotContain("\noutbox_pending 0.0");

                    DomainEventPublisher events = context.getBean(DomainEventPublisher.class);
                    inTransaction(context, () -> events.publish(new OrderPlaced("late")));
                    await().untilAsserted(() ->
                            assertThat(prometheus.scrape()).contains("outbox_dispatch_success_total 1.0"));
                    inTransaction(context, () -> events.publish(new OrderPlaced("lost")));
                    await().untilAsserted(() -> assertThat(prometheus.scrape())
                            .contains("outbox_failed_permanent_total 1.0")
                            .contains("outbox_retry_total 2.0")
                            .contains("outbox_dispatch_latency_ms_count 4"));
                });
    }

    @Test
    void withoutTheOptionThereIsTheGauge() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        app(Mailer.class)
                .withBean(PrometheusMeterRegistry.class, () -> prometheus)
                .withPropertyValues("outbox.metrics.prefix=shop")
                .run(context -> assertThat(prometheus.scrape())
                        .contains("\nshop_pending 0.0")
                        .doesNotContain("pending_total", "outbox_pending"));
    }

    @Test
    void itIsRefusedWhereItWouldHaveNoEffect() {
        app(Mailer.class)
                .withBean(MetricsExporter.class, () -> MetricsExporter.NOOP)
                .withPropertyValues("outbox.metrics.totals=true")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox.metrics.totals is true, but a MetricsExporter bean"));
    }
}
