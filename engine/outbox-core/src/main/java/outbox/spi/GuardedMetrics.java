package outbox.spi;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Keeps what an exporter throws away from the engine: a figure that is lost must not cost an event an attempt, or leave
 * it held by a node that forgot it. Failures are logged, at most one a minute. Thread-safe.
 */
public final class GuardedMetrics extends ForwardingMetrics {
    private static final Logger LOG = System.getLogger(GuardedMetrics.class.getName());
    private static final long LOG_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final MetricsExporter exporter;
    private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());

    private GuardedMetrics(MetricsExporter exporter) {
        this.exporter = exporter;
    }

    /** @return the exporter, guarded; as it is if it needs no guard */
    public static MetricsExporter of(MetricsExporter exporter) {
        Objects.requireNonNull(exporter, "metrics");
        return exporter == NOOP || exporter instanceof GuardedMetrics ? exporter : new GuardedMetrics(exporter);
    }

    private void failed(Throwable failure) {
        long now = System.nanoTime();
        long until = quietUntil.get();
        if (now - until >= 0 && quietUntil.compareAndSet(until, now + LOG_EVERY_NANOS)) {
            LOG.log(
                    Level.WARNING,
                    "metrics exporter " + exporter.getClass().getName()
                            + " failed; the figure is lost, deliveries go on",
                    failure);
        }
    }

    @Override
    protected void forward(Consumer<MetricsExporter> report) {
        try {
            report.accept(exporter);
        } catch (Throwable e) {
            failed(e);
        }
    }
}
