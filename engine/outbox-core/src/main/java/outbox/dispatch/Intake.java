package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.Lease;
import outbox.spi.MetricsExporter;

/** Takes events in, as long as there is room and the dispatcher is not closing. Thread-safe. */
final class Intake {
    private final InFlightEvents inFlight;
    private final DeliveryProtocol protocol;
    private final @Nullable LeaseRenewal leases;
    private final Signals signals;
    private final MetricsExporter metrics;
    private final LongSupplier ticks;
    private volatile boolean closed;

    Intake(
            InFlightEvents inFlight,
            DeliveryProtocol protocol,
            @Nullable LeaseRenewal leases,
            Signals signals,
            MetricsExporter metrics,
            LongSupplier ticks) {
        this.inFlight = inFlight;
        this.protocol = protocol;
        this.leases = leases;
        this.signals = signals;
        this.metrics = metrics;
        this.ticks = ticks;
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
        inFlight.queues().close();
    }

    /** A lease for rows about to be inserted; {@code null} where rows are not born leased. */
    @Nullable
    Lease newLease() {
        return leases == null || inFlight.keys() != null || closed
                ? null
                : new Lease(leases.owner(), ticks.getAsLong());
    }

    /** Whether events of rows that were born under this lease may still be taken. */
    boolean isInTime(Lease lease) {
        return inFlight.isInTime(lease.takenAtNanos());
    }

    /**
     * Takes the events of a transaction that has committed. With order, whoever claims them brings them.
     *
     * @param lease {@code null} if they have none
     * @return those that were not taken; their leases are being released
     */
    List<EventEnvelope> takeHot(List<EventEnvelope> events, @Nullable Lease lease) {
        if (inFlight.keys() != null) {
            signals.pollNow();
            return List.of();
        }
        // A poll may have read the rows and delivered them since the commit.
        long asOf = signals.hasPoller() ? InFlightEvents.BEFORE_ALL : InFlightEvents.ALWAYS_CURRENT;
        List<EventEnvelope> refused = new ArrayList<>(0);
        for (EventEnvelope event : events) {
            if (event.isDelayed()) {
                continue; // inserted without a lease; whoever polls when its time has come takes it
            }
            QueuedEvent queued = new QueuedEvent(event, Source.HOT, 0, lease);
            if (accept(queued, Source.HOT, asOf)) {
                metrics.incrementHotEnqueued();
            } else {
                refused.add(event);
                releaseRefused(queued);
            }
        }
        return refused;
    }

    /**
     * @param asOf see {@link InFlightEvents#add}
     * @return {@code false} if there is no room, this is closed, or a hot event comes when half of its lease is over
     */
    boolean take(QueuedEvent event, Source source, long asOf) {
        boolean accepted = accept(event, source, asOf);
        if (accepted && source == Source.HOT) {
            metrics.incrementHotEnqueued();
        } else if (accepted) {
            metrics.incrementColdEnqueued();
        }
        return accepted;
    }

    private boolean accept(QueuedEvent event, Source source, long asOf) {
        OrderingKeys keys = inFlight.keys();
        if (keys != null) {
            return takeInOrder(List.of(event), keys, asOf) == 1;
        }
        if (closed) {
            return false;
        }
        Delivery delivery = delivery(event, source);
        if (source == Source.HOT && delivery.isLeased() && !inFlight.isInTime(delivery.leasedAt())) {
            return false; // another node may have it by now, or before this one gets to renew
        }
        if (delivery.isSuspect() && inFlight.coldRoom() == 0) {
            return false;
        }
        if (!inFlight.bytes().hasRoomFor(delivery)) {
            return false;
        }
        if (!inFlight.add(delivery, asOf)) {
            // in flight already: the one that came first is delivered
        } else if (delivery.isSuspect()) {
            protocol.ready(delivery);
        } else if (inFlight.offer(delivery)) {
            signals.workAvailable();
            signals.depthsChanged();
        } else {
            inFlight.remove(delivery);
            return false;
        }
        return true;
    }

    /** @return how many were taken, from the first on */
    int takeClaimed(List<QueuedEvent> events, long asOf) {
        OrderingKeys keys = inFlight.keys();
        int taken = 0;
        if (keys != null) {
            taken = takeInOrder(events, keys, asOf);
        } else {
            while (taken < events.size() && accept(events.get(taken), Source.COLD, asOf)) {
                taken++;
            }
        }
        for (int i = 0; i < taken; i++) {
            metrics.incrementColdEnqueued();
        }
        if (taken < events.size()) {
            signals.claimDidNotFit();
        }
        return taken;
    }

    /**
     * All of a batch take their place in their keys before the first is given to a worker: should that one fail at once,
     * those behind it are known already.
     */
    private int takeInOrder(List<QueuedEvent> events, OrderingKeys keys, long asOf) {
        List<Delivery> free = new ArrayList<>();
        List<Delivery> refused = new ArrayList<>();
        int taken = 0;
        synchronized (keys) {
            while (taken < events.size() && !closed && inFlight.coldRoom() > 0) {
                Delivery delivery = delivery(events.get(taken++), Source.COLD);
                if (inFlight.add(delivery, asOf)) {
                    switch (keys.enter(delivery)) {
                        case FREE -> free.add(delivery);
                        case REFUSED -> refused.add(delivery);
                        case BEHIND -> {}
                    }
                }
            }
        }
        free.forEach(protocol::ready);
        refused.forEach(delivery -> protocol.releaseRefused(delivery, keys));
        signals.depthsChanged();
        return taken;
    }

    private Delivery delivery(QueuedEvent event, Source source) {
        QueuedEvent queued = event.source() == source
                ? event
                : new QueuedEvent(event.envelope(), source, event.attempts(), event.lease(), event.formerLease());
        return new Delivery(queued, ticks.getAsLong());
    }

    /** Room for claimed events; none while leases cannot be renewed. */
    int claimableRoom() {
        if (closed || (leases != null && leases.isFailing())) {
            return 0;
        }
        return signals.claimableRoom();
    }

    /** Room for claimed events in bytes of payloads and headers. */
    long claimableBytes() {
        return inFlight.bytes().coldRoom();
    }

    /**
     * Gives the lease of an event that found no place back to the table, without waiting for it. Until that is written the
     * event is in flight, so that its lease is renewed: a lease that ran out meanwhile could be ours anew, and must
     * not be ended by a mark that was meant for the old one. Its payload is not kept until then.
     */
    private void releaseRefused(QueuedEvent refused) {
        Delivery delivery = new Delivery(withoutPayload(refused), ticks.getAsLong());
        if (delivery.isLeased()
                && inFlight.isCurrent(delivery)
                && inFlight.add(delivery, InFlightEvents.ALWAYS_CURRENT)) {
            protocol.release(delivery);
        }
    }

    private static QueuedEvent withoutPayload(QueuedEvent event) {
        EventEnvelope light = event.envelope().toBuilder()
                .payloadBytes(null)
                .payloadJson("null")
                .headers(null)
                .build();
        return new QueuedEvent(light, event.source(), event.attempts(), event.lease());
    }
}
