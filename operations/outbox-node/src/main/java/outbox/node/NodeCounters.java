package outbox.node;

import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import outbox.spi.ForwardingMetrics;
import outbox.spi.MetricsExporter;

/** Counts what a node did since it started, for its heartbeat, and forwards every metric. Thread-safe. */
final class NodeCounters extends ForwardingMetrics {
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
    protected void forward(Consumer<MetricsExporter> report) {
        report.accept(next);
    }

    @Override
    public void incrementDispatchSuccess() {
        delivered.increment();
        super.incrementDispatchSuccess();
    }

    @Override
    public void incrementDispatchFailure() {
        failed.increment();
        super.incrementDispatchFailure();
    }

    @Override
    public void incrementDispatchDead() {
        dead.increment();
        super.incrementDispatchDead();
    }

    @Override
    public void recordQueueDepths(int hot, int cold) {
        hotDepth = hot;
        coldDepth = cold;
        super.recordQueueDepths(hot, cold);
    }
}
