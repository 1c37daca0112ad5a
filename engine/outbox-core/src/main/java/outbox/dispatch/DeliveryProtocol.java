package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.listener.ControlledListener;
import outbox.spi.MetricsExporter;
import outbox.spi.Settlement;
import outbox.util.StoredError;
import outbox.util.Ticks;

/**
 * Lease, in flight, order and settlement of a delivery: says which may run, and sees to it that each ends: its outcome is
 * written, or its row is free for others. The rules are in {@code docs/engine.md}. Thread-safe.
 */
final class DeliveryProtocol implements Worker.Protocol {
    private static final Logger LOG = System.getLogger(DeliveryProtocol.class.getName());
    private static final long LONGEST_REFUSAL_NANOS = 1_000_000_000L;
    private static final Duration NOT_WRITTEN_PAUSE = Duration.ofSeconds(1);

    private final OutcomeWriter writer;
    private final InFlightEvents inFlight;
    private final @Nullable OrderingKeys keys;
    private final Duration leaseTime;
    private final @Nullable InFlightTracker tracker;
    private final Verdict verdict;
    private final Settler settler;
    private final Signals signals;
    private final MetricsExporter metrics;
    private final LongSupplier ticks;
    private final Runnable onDead;
    private final List<SettlementWatch> watches = new CopyOnWriteArrayList<>();

    private volatile boolean closed;

    DeliveryProtocol(
            OutboxDispatcher.Builder settings,
            OutcomeWriter writer,
            InFlightEvents inFlight,
            Verdict verdict,
            Settler settler,
            Signals signals,
            MetricsExporter metrics,
            LongSupplier ticks) {
        this.writer = writer;
        this.inFlight = inFlight;
        this.keys = inFlight.keys();
        this.leaseTime = settings.leaseTime;
        this.tracker = settings.inFlightTracker;
        this.verdict = verdict;
        this.settler = settler;
        this.signals = signals;
        this.metrics = metrics;
        this.ticks = ticks;
        this.onDead = settings.onDead == null ? () -> {} : settings.onDead;
    }

    // ---- before the listener is called --------------------------------------------------------------------------

    @Override
    public @Nullable Delivery tryNext() {
        return inFlight.queues().tryTake();
    }

    @Override
    public boolean admit(Delivery delivery) {
        signals.dequeued(delivery);
        if (delivery.isLeased() && !inFlight.isCurrent(delivery) && isLeaseOver(delivery)) {
            return false;
        }
        if (tracker != null && !delivery.isResumed() && !isAcquired(delivery, tracker)) {
            inFlight.remove(delivery); // another delivery of it runs and decides
            leaves(delivery);
            return false;
        }
        return true;
    }

    /** Others may have the event now, unless this node has claimed it anew. */
    private boolean isLeaseOver(Delivery delivery) {
        if (!inFlight.removeIfOver(delivery)) {
            return false;
        }
        metrics.incrementLeasesLost(1);
        LOG.log(
                Level.WARNING,
                "lease of event " + delivery.eventId() + " was over before its turn came; not delivered here");
        releaseInFlight(delivery);
        leaves(delivery);
        return true;
    }

    /** It is not in flight any more, and its row is not written. Those behind it are not ours to deliver. */
    private void leaves(Delivery delivery) {
        releaseFollowers(delivery);
        leaveLeased(delivery);
        resumeSuspects(delivery);
    }

    /** A tracker that fails does not protect, but the lease does. */
    private static boolean isAcquired(Delivery delivery, InFlightTracker tracker) {
        try {
            if (!tracker.tryAcquire(delivery.eventId())) {
                return false;
            }
            delivery.tracked();
        } catch (RuntimeException | Error e) {
            trackerFailed(delivery, e);
        }
        return true;
    }

    /** Once, and only if it was acquired for this delivery. */
    private void releaseInFlight(Delivery delivery) {
        if (tracker == null || !delivery.untracked()) {
            return;
        }
        try {
            tracker.release(delivery.eventId());
        } catch (RuntimeException | Error e) {
            trackerFailed(delivery, e);
        }
    }

    private static void trackerFailed(Delivery delivery, Throwable failure) {
        LOG.log(Level.WARNING, "in-flight tracker failed on event " + delivery.eventId() + "; ignored", failure);
    }

    @Override
    public void resume(Delivery delivery) {
        queued(delivery, inFlight.resume(delivery));
    }

    /** A delivery goes to the workers for the first time. */
    void ready(Delivery delivery) {
        queued(delivery, inFlight.ready(delivery));
    }

    private void queued(Delivery delivery, boolean isQueued) {
        if (isQueued) {
            signals.workAvailable();
        } else {
            release(delivery);
        }
    }

    /**
     * The attempt of a suspect event is written before it is made: should it end this process too, it counts. If it was the
     * last one that did so, there is no further.
     */
    @Override
    public boolean mayAttempt(Delivery delivery, @Nullable ControlledListener control) {
        String owner = delivery.owner();
        if (owner == null) {
            return true;
        }
        if (verdict.isUsedUp(delivery, control)) {
            ended(new Outcome(delivery, verdict.diedWithItsProcess(delivery)));
            return false;
        }
        Duration pause = Duration.ZERO;
        try {
            if (writer.beginAttempt(owner, delivery.eventId(), delivery.attempts() + 1)) {
                return true;
            }
            delivery.leaseLost();
            metrics.incrementLeasesLost(1);
            LOG.log(
                    Level.WARNING,
                    "lease of event " + delivery.eventId()
                            + " was lost before its listener was called; its new owner decides");
        } catch (Throwable e) { // Errors too: its listener was not called
            pause = NOT_WRITTEN_PAUSE;
            LOG.log(
                    Level.WARNING,
                    "could not write that event " + delivery.eventId()
                            + " is about to be delivered; it goes back to the table and is tried again in " + pause,
                    e);
        }
        ended(new Outcome(delivery, new Settlement.Release(delivery.eventId(), delivery.attempts(), pause)));
        return false;
    }

    @Override
    public boolean isLastAttempt(Delivery delivery, @Nullable ControlledListener control) {
        return verdict.isLastAttempt(delivery, control);
    }

    // ---- after it ----------------------------------------------------------------------------------------------

    @Override
    public void ended(Outcome outcome) {
        Delivery delivery = outcome.delivery();
        delivery.finish();
        if (delivery.isLeased() || closed) {
            releaseInFlight(delivery); // the lease keeps others away from now on
        }
        if (keys != null && !outcome.isSuccess()) {
            releaseFollowers(delivery); // while nobody can claim them, because this one still blocks the key
        }
        submit(outcome);
        if (keys != null && outcome.isSuccess()) { // its successor starts now, so that it is never written before it
            Delivery next = keys.advance(delivery);
            if (next != null) {
                ready(next);
            }
        }
    }

    /** Ends the lease, if it is still ours. Until that is written the event stays in flight. */
    void release(Delivery delivery) {
        release(delivery, Duration.ZERO);
    }

    /** Its key is shut. If that lasts, the event must not be claimed here again and again meanwhile. */
    void releaseRefused(Delivery delivery, OrderingKeys keys) {
        release(delivery, Duration.ofNanos(Math.min(LONGEST_REFUSAL_NANOS, keys.shutFor(delivery))));
    }

    private void release(Delivery delivery, Duration delay) {
        delivery.finish();
        releaseInFlight(delivery);
        submit(new Outcome(delivery, new Settlement.Release(delivery.eventId(), delivery.attempts(), delay)));
        delivery.leaveConcurrencyLimit();
    }

    private void submit(Outcome outcome) {
        inFlight.finished();
        settler.submit(outcome);
        signals.outcomeWaiting();
    }

    private void releaseFollowers(Delivery failed) {
        if (keys != null) {
            keys.shut(failed).forEach(this::release);
        }
    }

    /** In the database the lease may last that long, and a claim would take the row for one of this node. */
    private void leaveLeased(Delivery delivery) {
        if (keys != null) {
            keys.leftLeased(delivery, ticks.getAsLong() + Ticks.in(leaseTime));
        }
    }

    /** Suspect events that waited for this one to end may go on. */
    private void resumeSuspects(Delivery left) {
        inFlight.left(left).forEach(this::resume);
    }

    // ---- after its outcome is written, or will not be -----------------------------------------------------------

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
            Outcome outcome = settled.outcome();
            try {
                switch (settled.result()) {
                    case WRITTEN -> written(outcome);
                    case LOST -> lost(outcome);
                    case SUPERSEDED -> remove(outcome.delivery(), false);
                    case ABANDONED -> abandoned(outcome.delivery());
                    case KEPT -> resumeSuspects(outcome.delivery());
                    case REFUSED -> successRefused(outcome, Objects.requireNonNull(settled.refusal()));
                }
            } catch (Throwable e) { // a metric or a watch of the user's own; the others must end all the same
                LOG.log(
                        Level.ERROR,
                        "could not finish event " + outcome.delivery().eventId()
                                + " after its outcome was settled; continuing",
                        e);
            }
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
        outcome.settlement()
                .accept(
                        done -> {},
                        delete -> {},
                        retry -> signals.pollAfter(retry.delay()),
                        dead -> {},
                        release -> signals.pollAfter(release.delay()));
    }

    private void reportDead(Delivery delivery, Settlement.Dead dead) {
        metrics.incrementDispatchDead();
        onDead.run();
        LOG.log(
                Level.ERROR,
                "event " + delivery.envelope() + " is DEAD after attempt " + dead.attempts() + ": "
                        + StoredError.firstLine(dead.error())
                        + "; it stays in the table, replay it when the cause is gone");
    }

    /** The row was not ours any more, and nothing was written. */
    private void lost(Outcome outcome) {
        if (!(outcome.settlement() instanceof Settlement.Release)) { // else it was to be released anyhow
            metrics.incrementLeasesLost(1);
            LOG.log(
                    Level.WARNING,
                    "lease of event " + outcome.delivery().eventId() + " was lost before its outcome could be written; "
                            + "its new owner decides");
        }
        remove(outcome.delivery(), false);
    }

    /** The row cannot be written, and its lease still stands. */
    private void abandoned(Delivery delivery) {
        leaveLeased(delivery);
        remove(delivery, false);
    }

    /** The listener succeeded, and the database refuses to write that. */
    private void successRefused(Outcome outcome, Throwable refusal) {
        Delivery delivery = outcome.delivery();
        Settlement instead = verdict.failed(delivery, outcome.control(), refusal);
        releaseFollowers(delivery);
        settler.refused().writeInstead(outcome, instead);
    }

    private void remove(Delivery delivery, boolean isWritten) {
        releaseInFlight(delivery); // first, so that the next delivery of it is not refused
        if (isWritten) {
            inFlight.settled(delivery);
        } else {
            inFlight.remove(delivery);
        }
        inFlight.written(); // at last, so that there never seems to be less room than there is
        resumeSuspects(delivery);
        if (keys != null) {
            keys.written(delivery, ticks.getAsLong());
        }
        signals.roomAvailable();
    }

    /** Nothing more is written: whoever shares the in-flight tracker may deliver what has ended and is not written. */
    void close() {
        closed = true;
        inFlight.all().stream().filter(Delivery::isFinished).forEach(this::releaseInFlight);
    }
}
