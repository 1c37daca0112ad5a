package outbox.spi;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Passes every figure on. Extend it to decorate an exporter: one that implements {@link MetricsExporter} directly loses the
 * figures it does not know, because the newer methods have defaults that do nothing. Thread-safe if the subclass is.
 */
public abstract class ForwardingMetrics implements MetricsExporter {
    /** Passes one report on to the exporter behind this one. */
    protected abstract void forward(Consumer<MetricsExporter> report);

    @Override
    public void incrementHotEnqueued() {
        forward(MetricsExporter::incrementHotEnqueued);
    }

    @Override
    public void incrementHotDropped() {
        forward(MetricsExporter::incrementHotDropped);
    }

    @Override
    public void incrementColdEnqueued() {
        forward(MetricsExporter::incrementColdEnqueued);
    }

    @Override
    public void incrementDispatchSuccess() {
        forward(MetricsExporter::incrementDispatchSuccess);
    }

    @Override
    public void incrementDispatchFailure() {
        forward(MetricsExporter::incrementDispatchFailure);
    }

    @Override
    public void incrementDispatchDead() {
        forward(MetricsExporter::incrementDispatchDead);
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        forward(next -> next.recordQueueDepths(hotDepth, coldDepth));
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        forward(next -> next.recordOldestLagMs(lagMs));
    }

    @Override
    public void recordClaimSize(int rows) {
        forward(next -> next.recordClaimSize(rows));
    }

    @Override
    public void recordSettlementSize(int outcomes) {
        forward(next -> next.recordSettlementSize(outcomes));
    }

    @Override
    public void recordDeliveryLatency(Duration latency) {
        forward(next -> next.recordDeliveryLatency(latency));
    }

    @Override
    public void recordListenerDuration(String aggregateType, String eventType, Duration duration) {
        forward(next -> next.recordListenerDuration(aggregateType, eventType, duration));
    }

    @Override
    public void incrementTimeouts(String listener) {
        forward(next -> next.incrementTimeouts(listener));
    }

    @Override
    public void adjustHungCalls(String listener, int change) {
        forward(next -> next.adjustHungCalls(listener, change));
    }

    @Override
    public void incrementLeasesRenewed(int count) {
        forward(next -> next.incrementLeasesRenewed(count));
    }

    @Override
    public void incrementLeasesLost(int count) {
        forward(next -> next.incrementLeasesLost(count));
    }

    @Override
    public void recordOldestPendingAge(Duration age) {
        forward(next -> next.recordOldestPendingAge(age));
    }

    @Override
    public void recordPending(int rows) {
        forward(next -> next.recordPending(rows));
    }

    @Override
    public void recordDead(int rows) {
        forward(next -> next.recordDead(rows));
    }

    @Override
    public void recordBreakerState(String listener, BreakerState state) {
        forward(next -> next.recordBreakerState(listener, state));
    }

    @Override
    public void recordCdcLag(Duration lag) {
        forward(next -> next.recordCdcLag(lag));
    }

    @Override
    public void recordCdcRetainedBytes(long bytes) {
        forward(next -> next.recordCdcRetainedBytes(bytes));
    }
}
