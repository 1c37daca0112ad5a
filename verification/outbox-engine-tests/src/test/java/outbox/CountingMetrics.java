package outbox;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import outbox.spi.MetricsExporter;

/** Counts what the engine reports. */
public final class CountingMetrics implements MetricsExporter {
    public final AtomicInteger hotEnqueued = new AtomicInteger();
    public final AtomicInteger hotDropped = new AtomicInteger();
    public final AtomicInteger coldEnqueued = new AtomicInteger();
    public final AtomicInteger success = new AtomicInteger();
    public final AtomicInteger failure = new AtomicInteger();
    public final AtomicInteger dead = new AtomicInteger();
    public final AtomicInteger leasesRenewed = new AtomicInteger();
    public final AtomicInteger leasesLost = new AtomicInteger();
    public final AtomicInteger largestSettlement = new AtomicInteger();
    public final AtomicInteger timeouts = new AtomicInteger();
    public final AtomicInteger hungCalls = new AtomicInteger();
    public final AtomicInteger latencies = new AtomicInteger();
    public final AtomicInteger hotDepth = new AtomicInteger();
    public final AtomicInteger coldDepth = new AtomicInteger();
    public final AtomicLong oldestLagMs = new AtomicLong();

    @Override
    public void incrementHotEnqueued() {
        hotEnqueued.incrementAndGet();
    }

    @Override
    public void incrementHotDropped() {
        hotDropped.incrementAndGet();
    }

    @Override
    public void incrementColdEnqueued() {
        coldEnqueued.incrementAndGet();
    }

    @Override
    public void incrementDispatchSuccess() {
        success.incrementAndGet();
    }

    @Override
    public void incrementDispatchFailure() {
        failure.incrementAndGet();
    }

    @Override
    public void incrementDispatchDead() {
        dead.incrementAndGet();
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
    public void recordSettlementSize(int outcomes) {
        largestSettlement.accumulateAndGet(outcomes, Math::max);
    }

    @Override
    public void recordDeliveryLatency(Duration latency) {
        latencies.incrementAndGet();
    }

    @Override
    public void incrementTimeouts(String listener) {
        timeouts.incrementAndGet();
    }

    @Override
    public void adjustHungCalls(String listener, int change) {
        hungCalls.addAndGet(change);
    }

    @Override
    public void incrementLeasesRenewed(int count) {
        leasesRenewed.addAndGet(count);
    }

    @Override
    public void incrementLeasesLost(int count) {
        leasesLost.addAndGet(count);
    }
}
