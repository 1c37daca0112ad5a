package outbox.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.spi.MetricsExporter;
import outbox.spring.boot.properties.RefusedSettingsException;

/** Exports metrics to the application's exporter, or to Micrometer, if the application has a registry. */
final class OutboxMetrics {
    private OutboxMetrics() {}

    /** @param totals whether to have the meters of {@code outbox.metrics.totals} too */
    static MetricsExporter of(ListableBeanFactory beans, String prefix, boolean totals) {
        MetricsExporter own = OwnBean.of(beans, MetricsExporter.class);
        MeterRegistry registry = beans.getBeanProvider(MeterRegistry.class).getIfAvailable();
        if (totals && (own != null || registry == null)) {
            throw new RefusedSettingsException(
                    "outbox.metrics.totals is true, but "
                            + (own == null
                                    ? "there is no MeterRegistry bean"
                                    : "a MetricsExporter bean has all metrics"),
                    own == null
                            ? "Add spring-boot-starter-actuator, or remove the property."
                            : "Name the metrics in that bean, and remove the property.");
        }
        if (own != null || registry == null) {
            return own == null ? MetricsExporter.NOOP : own;
        }
        MetricsExporter exporter = new MicrometerMetricsExporter(registry, prefix);
        return totals ? new TotalMeters(exporter, registry, prefix) : exporter;
    }
}
