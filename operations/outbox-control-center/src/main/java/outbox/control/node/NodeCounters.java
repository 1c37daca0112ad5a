package outbox.control.node;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;

/** Counts what a node does since it started, for its heartbeat, and passes everything on. Thread-safe. */
final class NodeCounters implements MetricsExporter {
    private final MetricsExporter next;
    private final LongAdder delivered = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder dead = new LongAdder();
    private volatile int hotDepth;
    private volatile int coldDepth;

    NodeCounters(MetricsExporter next) {
        this.next = Objects.requireNonNull(next, "next");
    }

    long delivered() {
        return delivered.sum();
    }

    long failed() {
        return failed.sum();
    }

    long dead() {
        return dead.sum();
    }

    int hotDepth() {
        return hotDepth;
    }

    int coldDepth() {
        return coldDepth;
    }

    @Override
    public void incrementHotEnqueued() {
        next.incrementHotEnqueued();
    }

    @Override
    public void incrementHotDropped() {
        next.incrementHotDropped();
    }

    @Override
    public void incrementColdEnqueued() {
        next.incrementColdEnqueued();
    }

    @Override
    public void incrementDispatchSuccess() {
        delivered.increment();
        next.incrementDispatchSuccess();
    }

    @Override
    public void incrementDispatchFailure() {
        failed.increment();
        next.incrementDispatchFailure();
    }

    @Override
    public void incrementDispatchDead() {
        dead.increment();
        next.incrementDispatchDead();
    }

    @Override
    public void recordQueueDepths(int hot, int cold) {
        hotDepth = hot;
        coldDepth = cold;
        next.recordQueueDepths(hot, cold);
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        next.recordOldestLagMs(lagMs);
    }

    @Override
    public void recordClaimSize(int rows) {
        next.recordClaimSize(rows);
    }

    @Override
    public void recordSettlementSize(int outcomes) {
        next.recordSettlementSize(outcomes);
    }

    @Override
    public void recordDeliveryLatency(Duration latency) {
        next.recordDeliveryLatency(latency);
    }

    @Override
    public void recordListenerDuration(String aggregateType, String eventType, Duration duration) {
        next.recordListenerDuration(aggregateType, eventType, duration);
    }

    @Override
    public void incrementLeasesRenewed(int count) {
        next.incrementLeasesRenewed(count);
    }

    @Override
    public void incrementLeasesLost(int count) {
        next.incrementLeasesLost(count);
    }

    @Override
    public void recordOldestPendingAge(Duration age) {
        next.recordOldestPendingAge(age);
    }

    @Override
    public void recordPending(int rows) {
        next.recordPending(rows);
    }

    @Override
    public void recordCdcLag(Duration lag) {
        next.recordCdcLag(lag);
    }

    @Override
    public void recordCdcRetainedBytes(long bytes) {
        next.recordCdcRetainedBytes(bytes);
    }

    @Override
    public void recordBreakerState(String listener, BreakerState state) {
        next.recordBreakerState(listener, state);
    }
}
