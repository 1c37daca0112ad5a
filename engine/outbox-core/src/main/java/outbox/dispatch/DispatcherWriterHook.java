package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.LeasedWriterHook;
import outbox.model.Lease;
import outbox.spi.GuardedMetrics;
import outbox.spi.MetricsExporter;

/**
 * The hot path: brings events to the dispatcher right after commit. Rows are born leased to the dispatcher, so no other
 * node takes them. Where the hot queue is full the lease is released, off the business thread, and the poller
 * delivers the event from the table; nothing is lost. Thread-safe.
 *
 * <p>With an ordered dispatcher, and for rows that were inserted without a lease although there could be one, it only wakes
 * the poller: their delivery goes through the table.
 */
public final class DispatcherWriterHook implements LeasedWriterHook {
    private static final Logger LOG = System.getLogger(DispatcherWriterHook.class.getName());

    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<OutboxDispatcher> present;
    private final @Nullable MetricsExporter metrics;
    private final AtomicInteger unreported = new AtomicInteger();
    private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());

    /** Reports to the metrics of the dispatcher. */
    public DispatcherWriterHook(OutboxDispatcher dispatcher) {
        this(Objects.requireNonNull(dispatcher, "dispatcher"), dispatcher.metrics());
    }

    public DispatcherWriterHook(OutboxDispatcher dispatcher, MetricsExporter metrics) {
        Objects.requireNonNull(dispatcher, "dispatcher");
        this.present = () -> dispatcher;
        this.metrics = GuardedMetrics.of(metrics);
    }

    /** For the dispatcher that runs when a transaction commits, which may be older than it; reports to its metrics. */
    public DispatcherWriterHook(Supplier<OutboxDispatcher> present) {
        this.present = Objects.requireNonNull(present, "present");
        this.metrics = null;
    }

    @Override
    public @Nullable Lease lease() {
        return present.get().intake().newLease();
    }

    @Override
    public boolean isInTime(Lease lease) {
        return present.get().intake().isInTime(lease);
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        OutboxDispatcher dispatcher = present.get();
        if (dispatcher.leaseOwner() != null && dispatcher.signals().hasPoller()) {
            dispatcher.signals().pollNow(); // the rows are anybody's: only who claims one may deliver it
        } else {
            leftToPoller(dispatcher, dispatcher.intake().takeHot(events, null));
        }
    }

    @Override
    public void afterCommit(List<EventEnvelope> events, Lease lease) {
        OutboxDispatcher dispatcher = present.get();
        leftToPoller(dispatcher, dispatcher.intake().takeHot(events, lease));
    }

    @Override
    public void afterRelease(List<EventEnvelope> events) {
        leftToPoller(
                present.get(),
                events.stream().filter(event -> !event.isDelayed()).toList());
    }

    private void leftToPoller(OutboxDispatcher dispatcher, List<EventEnvelope> events) {
        if (!events.isEmpty()) {
            MetricsExporter report = metrics == null ? dispatcher.metrics() : metrics;
            events.forEach(event -> report.incrementHotDropped());
            warn(events.size(), events.get(events.size() - 1));
            dispatcher.signals().pollNow();
        }
    }

    /** A burst would otherwise log a line per transaction, and logging would be what slows it. */
    private void warn(int dropped, EventEnvelope last) {
        unreported.addAndGet(dropped);
        long now = System.nanoTime();
        long until = quietUntil.get();
        if (now - until >= 0 && quietUntil.compareAndSet(until, now + WARN_EVERY_NANOS)) {
            LOG.log(
                    Level.WARNING,
                    "hot queue is full or closing, or a transaction took longer than half a lease: "
                            + unreported.getAndSet(0) + " event(s) dropped from it, last "
                            + last.eventId()
                            + "; they stay in the table and the poller delivers them");
        }
    }
}
