package outbox.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.spi.MetricsExporter;

/** Exports metrics to Micrometer, if the application has a registry. */
final class OutboxMetrics {
    private OutboxMetrics() {}

    static MetricsExporter of(ListableBeanFactory beans, String prefix) {
        MeterRegistry registry = beans.getBeanProvider(MeterRegistry.class).getIfAvailable();
        return registry == null ? MetricsExporter.NOOP : new MicrometerMetricsExporter(registry, prefix);
    }
}
