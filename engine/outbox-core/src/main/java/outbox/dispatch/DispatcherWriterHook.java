package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.LeasedWriterHook;
import outbox.dispatch.QueuedEvent.Source;
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

    private final OutboxDispatcher dispatcher;
    private final MetricsExporter metrics;
    private final AtomicInteger unreported = new AtomicInteger();
    private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());

    /** Reports to the metrics of the dispatcher. */
    public DispatcherWriterHook(OutboxDispatcher dispatcher) {
        this(dispatcher, dispatcher.metrics());
    }

    public DispatcherWriterHook(OutboxDispatcher dispatcher, MetricsExporter metrics) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
        this.metrics = GuardedMetrics.of(metrics);
    }

    @Override
    public @Nullable Lease lease() {
        return dispatcher.newLease();
    }

    @Override
    public boolean isInTime(Lease lease) {
        return dispatcher.isInTime(lease);
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        if (dispatcher.leaseOwner() != null && dispatcher.signals().hasPoller()) {
            dispatcher.signals().pollNow(); // the rows are anybody's: only who claims one may deliver it
        } else {
            enqueue(events, null);
        }
    }

    @Override
    public void afterCommit(List<EventEnvelope> events, Lease lease) {
        enqueue(events, lease);
    }

    @Override
    public void afterRelease(List<EventEnvelope> events) {
        List<EventEnvelope> released =
                events.stream().filter(event -> !event.isDelayed()).toList();
        if (!released.isEmpty()) {
            released.forEach(event -> metrics.incrementHotDropped());
            warn(released.size(), released.get(released.size() - 1));
            dispatcher.signals().pollNow();
        }
    }

    private void enqueue(List<EventEnvelope> events, @Nullable Lease lease) {
        if (dispatcher.isOrdered()) {
            dispatcher.signals().pollNow();
            return;
        }
        // A poll may have read the rows and delivered them since the commit.
        long asOf = dispatcher.signals().hasPoller() ? InFlightEvents.BEFORE_ALL : InFlightEvents.ALWAYS_CURRENT;
        List<QueuedEvent> refused = new ArrayList<>(0);
        for (EventEnvelope event : events) {
            if (event.isDelayed()) {
                continue; // inserted without a lease; whoever polls when its time has come takes it
            }
            QueuedEvent queued = new QueuedEvent(event, Source.HOT, 0, lease);
            if (!dispatcher.enqueueHot(queued, asOf)) {
                metrics.incrementHotDropped();
                refused.add(queued);
            }
        }
        if (!refused.isEmpty()) {
            warn(refused.size(), refused.get(refused.size() - 1).envelope());
            dispatcher.intake().releaseRefused(refused);
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
