package outbox.cdc;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import outbox.spi.MetricsExporter;

/** Remembers what a relay reports beyond a dispatcher. */
record OnlyCdcMetrics(AtomicLong retained, AtomicInteger lags) implements MetricsExporter {
    @Override
    public void incrementHotEnqueued() {}

    @Override
    public void incrementHotDropped() {}

    @Override
    public void incrementColdEnqueued() {}

    @Override
    public void incrementDispatchSuccess() {}

    @Override
    public void incrementDispatchFailure() {}

    @Override
    public void incrementDispatchDead() {}

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {}

    @Override
    public void recordOldestLagMs(long lagMs) {}

    @Override
    public void recordCdcLag(Duration lag) {
        if (!lag.isZero()) {
            lags.incrementAndGet();
        }
    }

    @Override
    public void recordCdcRetainedBytes(long bytes) {
        retained.set(bytes);
    }
}
