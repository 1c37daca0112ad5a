package outbox.spi;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps what an exporter throws away from the engine: a figure that is lost must not cost an event an attempt, or leave
 * it held by a node that forgot it. Failures are logged, at most one a minute. Thread-safe.
 */
public final class GuardedMetrics implements MetricsExporter {
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
    public void incrementHotEnqueued() {
        try {
            exporter.incrementHotEnqueued();
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void incrementHotDropped() {
        try {
            exporter.incrementHotDropped();
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void incrementColdEnqueued() {
        try {
            exporter.incrementColdEnqueued();
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void incrementDispatchSuccess() {
        try {
            exporter.incrementDispatchSuccess();
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void incrementDispatchFailure() {
        try {
            exporter.incrementDispatchFailure();
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void incrementDispatchDead() {
        try {
            exporter.incrementDispatchDead();
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        try {
            exporter.recordQueueDepths(hotDepth, coldDepth);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        try {
            exporter.recordOldestLagMs(lagMs);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordClaimSize(int rows) {
        try {
            exporter.recordClaimSize(rows);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordSettlementSize(int outcomes) {
        try {
            exporter.recordSettlementSize(outcomes);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordDeliveryLatency(Duration latency) {
        try {
            exporter.recordDeliveryLatency(latency);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordListenerDuration(String aggregateType, String eventType, Duration duration) {
        try {
            exporter.recordListenerDuration(aggregateType, eventType, duration);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void incrementLeasesRenewed(int count) {
        try {
            exporter.incrementLeasesRenewed(count);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void incrementLeasesLost(int count) {
        try {
            exporter.incrementLeasesLost(count);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordOldestPendingAge(Duration age) {
        try {
            exporter.recordOldestPendingAge(age);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordPending(int rows) {
        try {
            exporter.recordPending(rows);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordCdcLag(Duration lag) {
        try {
            exporter.recordCdcLag(lag);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordCdcRetainedBytes(long bytes) {
        try {
            exporter.recordCdcRetainedBytes(bytes);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void recordBreakerState(String listener, BreakerState state) {
        try {
            exporter.recordBreakerState(listener, state);
        } catch (Throwable e) {
            failed(e);
        }
    }
}
