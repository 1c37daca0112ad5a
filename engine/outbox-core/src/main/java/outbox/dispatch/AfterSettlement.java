package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.spi.MetricsExporter;
import outbox.spi.Settlement;

/** The last step of a delivery: its row was written, or will not be, and it is in flight no longer. Thread-safe. */
final class AfterSettlement {
    private static final Logger LOG = System.getLogger(AfterSettlement.class.getName());

    private final DeliveryProtocol protocol;
    private final Settler settler;
    private final InFlightEvents inFlight;
    private final @Nullable OrderingKeys keys;
    private final @Nullable LeaseRenewal leases;
    private final Signals signals;
    private final MetricsExporter metrics;
    private final LongSupplier ticks;
    private final Runnable onDead;
    private final List<SettlementWatch> watches = new CopyOnWriteArrayList<>();

    AfterSettlement(
            DeliveryProtocol protocol,
            Settler settler,
            InFlightEvents inFlight,
            @Nullable LeaseRenewal leases,
            Signals signals,
            MetricsExporter metrics,
            LongSupplier ticks,
            Runnable onDead) {
        this.protocol = protocol;
        this.settler = settler;
        this.inFlight = inFlight;
        this.keys = inFlight.keys();
        this.leases = leases;
        this.signals = signals;
        this.metrics = metrics;
        this.ticks = ticks;
        this.onDead = onDead;
    }

    /** @param works whether what is in flight may still end */
    SettlementWatch watch(BooleanSupplier works) {
        SettlementWatch watch = new SettlementWatch(
                id -> works.getAsBoolean()
                        && inFlight.contains(id)
                        && !settler.refused().isKept(id),
                watches);
        watches.add(watch);
        return watch;
    }

    void settled(List<Settled> results) {
        for (Settled settled : results) {
            try {
                settled(settled);
            } catch (Throwable e) { // a metric or a watch of the user's own; the others must end all the same
                LOG.log(
                        Level.ERROR,
                        "could not finish event " + settled.outcome().delivery().eventId()
                                + " after its outcome was settled; continuing",
                        e);
            }
        }
    }

    private void settled(Settled settled) {
        Outcome outcome = settled.outcome();
        switch (settled.result()) {
            case WRITTEN -> written(outcome);
            case LOST -> {
                reportLost(outcome);
                lost(outcome.delivery());
            }
            case SUPERSEDED -> lost(outcome.delivery());
            case ABANDONED -> abandoned(outcome.delivery());
            case KEPT -> protocol.resumeSuspects(outcome.delivery());
            case REFUSED ->
                settler.writeInstead(
                        outcome, protocol.successRefused(outcome, Objects.requireNonNull(settled.refusal())));
        }
    }

    private void written(Outcome outcome) {
        Delivery delivery = outcome.delivery();
        outcome.settlement()
                .accept(
                        done -> metrics.incrementDispatchSuccess(),
                        delete -> metrics.incrementDispatchSuccess(),
                        retry -> metrics.incrementDispatchFailure(),
                        dead -> reportDead(delivery, dead),
                        release -> {});
        watches.forEach(watch -> watch.settled(outcome.settlement()));
        remove(delivery, true);
        leftItsKey(delivery);
        outcome.settlement()
                .accept(
                        done -> {},
                        delete -> {},
                        retry -> signals.pollAfter(retry.delay()),
                        dead -> {},
                        release -> signals.pollAfter(release.delay()));
        signals.roomAvailable();
    }

    private void reportDead(Delivery delivery, Settlement.Dead dead) {
        metrics.incrementDispatchDead();
        onDead.run();
        LOG.log(
                Level.ERROR,
                "event " + delivery.envelope() + " is DEAD after attempt " + dead.attempts() + ": "
                        + firstLine(dead.error()) + "; it stays in the table, replay it when the cause is gone");
    }

    private static String firstLine(String error) {
        int end = error.indexOf('\n');
        return end < 0 ? error : error.substring(0, end);
    }

    private void reportLost(Outcome outcome) {
        if (!(outcome.settlement() instanceof Settlement.Release)) { // else it was to be released anyhow
            metrics.incrementLeasesLost(1);
            LOG.log(
                    Level.WARNING,
                    "lease of event " + outcome.delivery().eventId() + " was lost before its outcome could be written; "
                            + "its new owner decides");
        }
    }

    /** The row was not ours any more, and nothing was written. */
    private void lost(Delivery delivery) {
        remove(delivery, false);
        leftItsKey(delivery);
        signals.roomAvailable();
    }

    /** The row cannot be written, and its lease still stands. */
    private void abandoned(Delivery delivery) {
        remove(delivery, false);
        protocol.leaveLeased(delivery);
        signals.roomAvailable();
    }

    private void remove(Delivery delivery, boolean isWritten) {
        protocol.releaseInFlight(delivery); // first, so that the next delivery of it is not refused
        if (isWritten) {
            inFlight.settled(delivery, leases == null || leases.isCurrent(delivery));
        } else {
            inFlight.remove(delivery);
        }
        inFlight.written(); // at last, so that there never seems to be less room than there is
        protocol.resumeSuspects(delivery);
    }

    private void leftItsKey(Delivery delivery) {
        if (keys != null) {
            keys.written(delivery, ticks.getAsLong());
        }
    }
}
