package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.NotAttemptedException;
import outbox.ProcessDiedException;
import outbox.listener.ControlledListener;
import outbox.spi.ConnectionProvider;
import outbox.spi.FailureListener;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;
import outbox.util.StoredError;
import outbox.util.Ticks;

/**
 * Says which deliveries may run, decides what becomes of them, and sees to it that each ends: its outcome is
 * written, or its row is free for others. The rules are in {@code docs/engine.md}. Thread-safe.
 */
final class DeliveryProtocol implements Worker.Protocol {
    private static final Logger LOG = System.getLogger(DeliveryProtocol.class.getName());
    private static final long LONGEST_REFUSAL_NANOS = 1_000_000_000L;
    private static final Duration NOT_WRITTEN_PAUSE = Duration.ofSeconds(1);

    private final ConnectionProvider connections;
    private final OutboxStore store;
    private final InFlightEvents inFlight;
    private final @Nullable OrderingKeys keys;
    private final @Nullable LeaseRenewal leases;
    private final Duration leaseTime;
    private final InFlightTracker tracker;
    private final Verdict verdict;
    private final FailureListener failures;
    private final MetricsExporter metrics;
    private final LongSupplier ticks;
    private final Settler settler;
    private final Signals signals;

    private volatile boolean interrupting;
    private volatile boolean ended;

    DeliveryProtocol(
            OutboxDispatcher.Builder settings,
            ConnectionProvider connections,
            OutboxStore store,
            InFlightEvents inFlight,
            @Nullable LeaseRenewal leases,
            Settler settler,
            Signals signals,
            MetricsExporter metrics,
            LongSupplier ticks) {
        this.connections = connections;
        this.store = store;
        this.inFlight = inFlight;
        this.keys = inFlight.keys();
        this.leases = leases;
        this.leaseTime = settings.leaseTime;
        this.tracker = settings.inFlightTracker == null ? new DefaultInFlightTracker() : settings.inFlightTracker;
        this.verdict = new Verdict(settings.retryPolicy, settings.maxAttempts, settings.completionMode);
        this.failures = settings.failureListener;
        this.signals = signals;
        this.metrics = metrics;
        this.ticks = ticks;
        this.settler = settler;
    }

    /** From now on a listener that ends by an interruption was interrupted by us. */
    void interrupting() {
        interrupting = true;
    }

    /** Nothing more is written: whoever shares the in-flight tracker may deliver what has ended and is not written. */
    void ended() {
        ended = true;
        inFlight.all().stream().filter(Delivery::isFinished).forEach(this::releaseInFlight);
    }

    /** Ends the lease, if it is still ours. Until that is written the event stays in flight. */
    void release(Delivery delivery) {
        release(delivery, Duration.ZERO);
    }

    private void release(Delivery delivery, Duration delay) {
        delivery.finish();
        releaseInFlight(delivery);
        submit(new Outcome(delivery, new Settlement.Release(delivery.eventId(), delivery.attempts(), delay)));
        delivery.leaveConcurrencyLimit();
    }

    /** Its key is shut. If that lasts, the event must not be claimed here again and again meanwhile. */
    void releaseRefused(Delivery delivery, OrderingKeys keys) {
        release(delivery, Duration.ofNanos(Math.min(LONGEST_REFUSAL_NANOS, keys.shutFor(delivery))));
    }

    // ---- what a worker asks for and reports ---------------------------------------------------------------------

    @Override
    public @Nullable Delivery tryNext() {
        Delivery next = inFlight.queues().tryTake();
        if (next != null) {
            signals.dequeued(next);
        }
        return next;
    }

    @Override
    public boolean admit(Delivery delivery) {
        if (leases != null
                && delivery.isLeased()
                && inFlight.removeIf(delivery, overdue -> !leases.isCurrent(overdue))) {
            leaseIsOver(delivery);
            return false;
        }
        if (!delivery.isResumed() && !tryAcquire(delivery)) {
            inFlight.remove(delivery); // another delivery of it runs and decides
            releaseFollowers(delivery);
            leaveLeased(delivery);
            resumeSuspects(delivery);
            return false;
        }
        return true;
    }

    /** A tracker that fails does not protect, but the lease does. */
    private boolean tryAcquire(Delivery delivery) {
        try {
            if (!tracker.tryAcquire(delivery.eventId())) {
                return false;
            }
            delivery.tracked();
            return true;
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "in-flight tracker failed on event " + delivery.eventId() + "; ignored", e);
            return true;
        }
    }

    /** Once, and only if it was acquired for this delivery. */
    void releaseInFlight(Delivery delivery) {
        if (!delivery.untracked()) {
            return;
        }
        try {
            tracker.release(delivery.eventId());
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "in-flight tracker failed on event " + delivery.eventId() + "; ignored", e);
        }
    }

    @Override
    public void postpone(Delivery delivery, Duration delay) {
        complete(new Outcome(delivery, new Settlement.Release(delivery.eventId(), delivery.attempts(), delay)));
    }

    @Override
    public void resume(Delivery delivery) {
        if (inFlight.resume(delivery)) {
            signals.workAvailable();
        } else {
            release(delivery);
        }
    }

    /** A delivery goes to the workers for the first time. */
    void ready(Delivery delivery) {
        if (inFlight.ready(delivery)) {
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
        if (!delivery.isSuspect() || owner == null || !(store instanceof LeasingOutboxStore leasing)) {
            return true;
        }
        if (verdict.isUsedUp(delivery, control)) {
            diedWithItsProcess(delivery);
            return false;
        }
        try {
            if (UnitOfWork.single(
                    connections,
                    conn -> leasing.beginAttempt(conn, owner, delivery.eventId(), delivery.attempts() + 1))) {
                return true;
            }
        } catch (Throwable e) { // Errors too: its listener was not called
            LOG.log(
                    Level.WARNING,
                    "could not write that event " + delivery.eventId()
                            + " is about to be delivered; it goes back to the" + " table and is tried again in "
                            + NOT_WRITTEN_PAUSE,
                    e);
            postpone(delivery, NOT_WRITTEN_PAUSE);
            return false;
        }
        delivery.leaseLost();
        metrics.incrementLeasesLost(1);
        LOG.log(
                Level.WARNING,
                "lease of event " + delivery.eventId()
                        + " was lost before its listener was called; its new owner decides");
        postpone(delivery, Duration.ZERO);
        return false;
    }

    @Override
    public boolean isLastAttempt(Delivery delivery, @Nullable ControlledListener control) {
        return verdict.isLastAttempt(delivery, control);
    }

    private void diedWithItsProcess(Delivery delivery) {
        int attempts = delivery.attempts();
        ProcessDiedException died = new ProcessDiedException("the process died while it was delivering this event, at"
                + " attempt " + attempts + ", the last one: the event is not delivered again. Look for what ended the"
                + " process (a crash, a kill, out of memory), then replay the event");
        Settlement dead = new Settlement.Dead(delivery.eventId(), attempts, StoredError.of(died));
        delivery.reportFailure(failures, attempts, died, dead, ticks.getAsLong());
        complete(new Outcome(delivery, dead));
    }

    @Override
    public void finished(Delivery delivery, @Nullable ControlledListener control, @Nullable Throwable failure) {
        if (control != null) {
            control.report(failure, ticks.getAsLong());
        }
        boolean ourDoing = interrupting && failure instanceof InterruptedException; // no attempt is counted then
        Settlement settlement = ourDoing
                ? new Settlement.Release(delivery.eventId(), delivery.attempts())
                : verdict.on(delivery, control, failure);
        if (failure != null && !ourDoing && !(failure instanceof NotAttemptedException)) {
            report(delivery, failure, settlement);
        }
        complete(new Outcome(delivery, settlement, control));
    }

    private void report(Delivery delivery, Throwable failure, Settlement outcome) {
        delivery.reportFailure(failures, delivery.attempts() + 1, failure, outcome, ticks.getAsLong());
    }

    @Override
    public void failed(Delivery delivery, Throwable failure) {
        if (!delivery.isFinished()) {
            complete(new Outcome(delivery, verdict.on(delivery, null, failure)));
        }
    }

    private void complete(Outcome outcome) {
        Delivery delivery = outcome.delivery();
        delivery.finish();
        if (delivery.isLeased() || ended) {
            releaseInFlight(delivery); // the lease keeps others away from now on
        }
        if (keys == null) {
            submit(outcome);
        } else if (outcome.isSuccess()) {
            submit(outcome); // before its successor starts, so that it is never written after it
            Delivery next = keys.advance(delivery);
            if (next != null) {
                ready(next);
            }
        } else {
            releaseFollowers(delivery); // while nobody can claim them, because this one still blocks the key
            submit(outcome);
        }
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

    /** Others may have the event now. Those behind it are in the way of nobody any more, but not ours to deliver. */
    private void leaseIsOver(Delivery delivery) {
        metrics.incrementLeasesLost(1);
        LOG.log(
                Level.WARNING,
                "lease of event " + delivery.eventId() + " was over before its turn came; not delivered here");
        releaseInFlight(delivery);
        releaseFollowers(delivery);
        leaveLeased(delivery);
        resumeSuspects(delivery);
    }

    // ---- what follows when outcomes are written -----------------------------------------------------------------

    /** Suspect events that waited for this one to end may go on. */
    void resumeSuspects(Delivery left) {
        inFlight.left(left).forEach(this::resume);
    }

    /** The listener succeeded, and the database refuses to write that. @return what is written instead */
    Settlement successRefused(Outcome outcome, Throwable refusal) {
        Delivery delivery = outcome.delivery();
        Settlement settlement = verdict.on(delivery, outcome.control(), refusal);
        report(delivery, refusal, settlement);
        releaseFollowers(delivery);
        return settlement;
    }

    /** In the database the lease may last that long, and a claim would take the row for one of this node. */
    void leaveLeased(Delivery delivery) {
        if (keys != null) {
            keys.leftLeased(delivery, ticks.getAsLong() + Ticks.in(leaseTime));
        }
    }
}
