package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.NotAttemptedException;
import outbox.spi.ConnectionProvider;
import outbox.spi.FailureListener;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.Settlement;
import outbox.util.Ticks;

/**
 * Says which deliveries may run, decides what becomes of them, and sees to it that each leaves the hand of this
 * dispatcher again: its outcome written, or its row free for others. Thread-safe.
 */
final class DeliveryDesk implements Worker.Desk {
    private static final Logger LOG = System.getLogger(DeliveryDesk.class.getName());
    private static final long LONGEST_REFUSAL_NANOS = 1_000_000_000L;

    private final InHand inHand;
    private final HeldEvents held;
    private final @Nullable Lanes lanes;
    private final @Nullable LeaseKeeper leases;
    private final Duration leaseTime;
    private final InFlightTracker inFlight;
    private final Verdict verdict;
    private final FailureListener failures;
    private final MetricsExporter metrics;
    private final LongSupplier ticks;
    private final Settler settler;

    private final List<SettlementWatch> watches = new CopyOnWriteArrayList<>();
    private volatile Consumer<Duration> wakePoller = delay -> {};
    private volatile boolean hasPoller;
    private volatile Runnable roomMade = () -> {};
    private volatile Consumer<Delivery> leftItsQueue = delivery -> {};
    private volatile boolean interrupting;

    DeliveryDesk(
            OutboxDispatcher.Builder settings,
            ConnectionProvider connections,
            OutboxStore store,
            InHand inHand,
            @Nullable LeaseKeeper leases,
            MetricsExporter metrics,
            LongSupplier ticks) {
        this.inHand = inHand;
        this.held = inHand.held();
        this.lanes = inHand.lanes();
        this.leases = leases;
        this.leaseTime = settings.leaseTime;
        this.inFlight = settings.inFlightTracker;
        this.verdict = new Verdict(settings.retryPolicy, settings.maxAttempts, settings.completionMode);
        this.failures = settings.failureListener;
        this.metrics = metrics;
        this.ticks = ticks;
        this.settler = new Settler(connections, store, metrics, settings.clock, held, this::settled, this::abandoned);
    }

    Settler settler() {
        return settler;
    }

    /** @param works whether what is in hand may still end */
    SettlementWatch watch(BooleanSupplier works) {
        SettlementWatch watch = new SettlementWatch(id -> works.getAsBoolean() && held.contains(id), watches);
        watches.add(watch);
        return watch;
    }

    void pollerAttached(Consumer<Duration> wakePoller) {
        this.wakePoller = wakePoller;
        this.hasPoller = true;
    }

    boolean hasPoller() {
        return hasPoller;
    }

    /**
     * @param roomMade told when events have left an ordered dispatcher
     * @param leftItsQueue told of every event that a worker takes beyond its first
     */
    void intakeAttached(Runnable roomMade, Consumer<Delivery> leftItsQueue) {
        this.roomMade = roomMade;
        this.leftItsQueue = leftItsQueue;
    }

    void wakePoller() {
        wakePoller.accept(Duration.ZERO);
    }

    /** From now on a listener that ends by an interruption was interrupted by us. */
    void interrupting() {
        interrupting = true;
    }

    /** Ends the lease, if it is still ours. Until that is written the event stays in hand. */
    void release(Delivery delivery) {
        release(delivery, Duration.ZERO);
    }

    private void release(Delivery delivery, Duration delay) {
        delivery.finish();
        if (delivery.isResumed()) {
            releaseInFlight(delivery);
        }
        submit(new Outcome(delivery, new Settlement.Release(delivery.eventId(), delay)));
        delivery.leaveGate();
    }

    /** Its lane is shut. If that lasts, the event must not be claimed here again and again meanwhile. */
    void releaseRefused(Delivery delivery, Lanes lanes) {
        release(delivery, Duration.ofNanos(Math.min(LONGEST_REFUSAL_NANOS, lanes.shutFor(delivery))));
    }

    // ---- what a worker asks for and reports ---------------------------------------------------------------------

    @Override
    public @Nullable Delivery tryNext() {
        Delivery next = inHand.queues().tryTake();
        if (next != null) {
            leftItsQueue.accept(next);
        }
        return next;
    }

    @Override
    public boolean admit(Delivery delivery) {
        if (leases != null && delivery.isLeased() && held.letGoIf(delivery, overdue -> !leases.isCurrent(overdue))) {
            leaseIsOver(delivery);
            return false;
        }
        if (!delivery.isResumed() && !tryAcquire(delivery)) {
            held.letGo(delivery, false); // another delivery of it runs and decides
            giveBackFollowers(delivery);
            strand(delivery);
            return false;
        }
        return true;
    }

    /** A tracker that fails does not protect, but the lease does. */
    private boolean tryAcquire(Delivery delivery) {
        try {
            return inFlight.tryAcquire(delivery.eventId());
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "in-flight tracker failed on event " + delivery.eventId() + "; ignored", e);
            return true;
        }
    }

    private void releaseInFlight(Delivery delivery) {
        try {
            inFlight.release(delivery.eventId());
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "in-flight tracker failed on event " + delivery.eventId() + "; ignored", e);
        }
    }

    @Override
    public void giveBack(Delivery delivery, Duration delay) {
        complete(new Outcome(delivery, new Settlement.Release(delivery.eventId(), delay)));
    }

    @Override
    public void resume(Delivery delivery) {
        inHand.resume(delivery);
    }

    @Override
    public void finished(Delivery delivery, @Nullable ControlledListener control, @Nullable Throwable failure) {
        if (control != null) {
            control.report(failure, ticks.getAsLong());
        }
        boolean ourDoing = interrupting && failure instanceof InterruptedException; // no attempt is counted then
        Settlement settlement =
                ourDoing ? new Settlement.Release(delivery.eventId()) : verdict.on(delivery, control, failure);
        if (failure != null && !ourDoing && !(failure instanceof NotAttemptedException)) {
            report(delivery, failure, settlement);
        }
        complete(new Outcome(delivery, settlement));
    }

    private void report(Delivery delivery, Throwable failure, Settlement outcome) {
        delivery.reportFailure(failures, failure, outcome, ticks.getAsLong());
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
        if (delivery.isLeased()) {
            releaseInFlight(delivery); // the lease keeps others away from now on
        }
        if (lanes == null) {
            submit(outcome);
        } else if (outcome.isSuccess()) {
            submit(outcome); // before its successor starts, so that it is never written after it
            Delivery next = lanes.advance(delivery);
            if (next != null) {
                resume(next);
            }
        } else {
            giveBackFollowers(delivery); // while nobody can claim them, because this one still blocks the key
            submit(outcome);
        }
    }

    private void submit(Outcome outcome) {
        inHand.finished();
        settler.submit(outcome);
    }

    private void giveBackFollowers(Delivery failed) {
        if (lanes != null) {
            lanes.shut(failed).forEach(this::release);
        }
    }

    /** Others may have the event now. Those behind it are in the way of nobody any more, but not ours to deliver. */
    private void leaseIsOver(Delivery delivery) {
        metrics.incrementLeasesLost(1);
        LOG.log(
                Level.WARNING,
                "lease of event " + delivery.eventId() + " was over before its turn came; not delivered here");
        if (delivery.isResumed()) {
            releaseInFlight(delivery);
        }
        giveBackFollowers(delivery);
        strand(delivery);
    }

    // ---- what the settler reports -------------------------------------------------------------------------------

    /** The row is written, or not ours any more. */
    private void settled(Outcome outcome) {
        watches.forEach(watch -> watch.settled(outcome.settlement()));
        letGo(outcome.delivery(), outcome.settlement() instanceof Settlement.Done);
        leftItsLane(outcome.delivery());
        if (outcome.settlement() instanceof Settlement.Retry retry) {
            wakePoller.accept(retry.delay());
        } else if (outcome.settlement() instanceof Settlement.Release release) {
            wakePoller.accept(release.delay());
        } else if (lanes != null) {
            roomMade.run();
        }
    }

    /** The row can not be written, and its lease still stands. */
    private void abandoned(Outcome outcome) {
        letGo(outcome.delivery(), false);
        strand(outcome.delivery());
    }

    private void letGo(Delivery delivery, boolean done) {
        if (!delivery.isLeased()) {
            releaseInFlight(delivery);
        }
        held.letGo(delivery, done);
        inHand.written(); // then, so that there never seems to be less room than there is
    }

    private void leftItsLane(Delivery delivery) {
        if (lanes != null) {
            lanes.written(delivery, ticks.getAsLong());
        }
    }

    /** In the database a lease we let go of may last that long, and a claim would take the row for ours. */
    private void strand(Delivery delivery) {
        if (lanes != null) {
            lanes.stranded(delivery, ticks.getAsLong() + Ticks.in(leaseTime));
        }
    }
}
