package outbox.benchmark.own;

import java.util.concurrent.atomic.LongAdder;
import outbox.spi.MetricsExporter;

/** What the engine says of itself. Thread-safe. */
final class DeliveryCounts implements MetricsExporter {
    private final LongAdder settled = new LongAdder();
    private final LongAdder hotDropped = new LongAdder();
    private final LongAdder cold = new LongAdder();
    private final LongAdder settlements = new LongAdder();
    private final LongAdder claims = new LongAdder();

    /** Outcomes that are in the table. */
    long settled() {
        return settled.sum();
    }

    /** Events the full hot queue refused. */
    long hotDropped() {
        return hotDropped.sum();
    }

    /** Events that came through the poller. */
    long cold() {
        return cold.sum();
    }

    /** Transactions that wrote outcomes. */
    long settlements() {
        return settlements.sum();
    }

    /** Claims that found something. */
    long claims() {
        return claims.sum();
    }

    @Override
    public void incrementHotEnqueued() {}

    @Override
    public void incrementHotDropped() {
        hotDropped.increment();
    }

    @Override
    public void incrementColdEnqueued() {
        cold.increment();
    }

    @Override
    public void incrementDispatchSuccess() {
        settled.increment();
    }

    @Override
    public void incrementDispatchFailure() {}

    @Override
    public void incrementDispatchDead() {}

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {}

    @Override
    public void recordOldestLagMs(long lagMs) {}

    @Override
    public void recordSettlementSize(int outcomes) {
        settlements.increment();
    }

    @Override
    public void recordClaimSize(int rows) {
        if (rows > 0) {
            claims.increment();
        }
    }
}
