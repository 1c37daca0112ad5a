package outbox.dispatch;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import outbox.listener.RunningCalls;

/**
 * The steps of a dispatcher, for whatever {@link Threads} run them: deliver one event, write outcomes, renew leases,
 * enforce time limits. Thread-safe.
 */
final class Steps {
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final InFlightEvents inFlight;
    private final DeliveryProtocol protocol;
    private final Settler settler;
    private final Worker worker;
    private final RunningCalls calls;
    private final @Nullable LeaseRenewal leases;
    private volatile boolean renewalEnded;

    Steps(
            InFlightEvents inFlight,
            DeliveryProtocol protocol,
            Settler settler,
            Worker worker,
            RunningCalls calls,
            @Nullable LeaseRenewal leases) {
        this.inFlight = inFlight;
        this.protocol = protocol;
        this.settler = settler;
        this.worker = worker;
        this.calls = calls;
        this.leases = leases;
    }

    // ---- deliver ------------------------------------------------------------------------------------------------

    /** Waits for an event and delivers it. @return {@code false} when there are no more */
    boolean work() throws InterruptedException {
        settler.awaitRoom();
        Delivery delivery = worker.isInterrupting() ? null : inFlight.queues().take();
        if (delivery == null) {
            return staysForOthers();
        }
        worker.process(delivery);
        return true;
    }

    /** At the end: what an asynchronous listener has in flight may free a place for an event that waits for its limit. */
    private boolean staysForOthers() {
        if (worker.isInterrupting() || !hasWorkLeft()) {
            return false;
        }
        LockSupport.parkNanos(this, LINGER_NANOS);
        return true;
    }

    /** Delivers one queued event. @return whether there was one */
    boolean workOnce() {
        Delivery delivery = protocol.tryNext();
        if (delivery != null) {
            worker.process(delivery);
        }
        return delivery != null;
    }

    /** From now on workers take no more events, and a listener that ends by an interruption was interrupted by us. */
    void beforeInterrupting() {
        worker.interrupting();
    }

    /** Whether an event waits, and there is room for its outcome. */
    boolean canWork() {
        return inFlight.queues().hasWork() && settler.hasRoom();
    }

    /** Whether events are in flight: queued, running, or with an outcome that is not written. */
    boolean hasInFlight() {
        return inFlight.count() > 0;
    }

    /** Whether more events are in flight than those whose outcomes the database refuses in every form. */
    boolean hasWorkLeft() {
        return inFlight.count() > settler.refused().keptCount();
    }

    // ---- settle -------------------------------------------------------------------------------------------------

    /** Waits for outcomes and writes them. @return {@code false} when there are no more */
    boolean settle() throws InterruptedException {
        if (!settler.awaitOutcomes()) {
            return false;
        }
        settleOnce();
        return true;
    }

    /** Writes waiting outcomes, and tries again those that failed and are due. @return whether any was settled */
    boolean settleOnce() {
        List<Settled> written = settler.write();
        protocol.settled(written);
        List<Settled> triedAgain = settler.isFailing() ? List.of() : settler.tryRefused();
        protocol.settled(triedAgain);
        return !written.isEmpty() || !triedAgain.isEmpty();
    }

    boolean hasOutcomes() {
        return settler.waiting() > 0;
    }

    /** Whether outcomes that failed are tried again. */
    boolean hasOutcomesToTryAgain() {
        return settler.refused().unsettled() > 0;
    }

    /** Nanoseconds until an outcome that failed is to be tried again; {@link Long#MAX_VALUE} if there is none. */
    long nanosToNextTry() {
        return settler.refused().nanosToNextTry();
    }

    boolean isSettlingFailing() {
        return settler.isFailing();
    }

    // ---- renew leases -------------------------------------------------------------------------------------------

    /** Whether there are leases to renew. */
    boolean renews() {
        return leases != null;
    }

    /** Waits until leases may be due, and renews those that are. @return {@code false} at the end */
    boolean renew() throws InterruptedException {
        LockSupport.parkNanos(this, renewEveryNanos());
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (renewalEnded) {
            return false;
        }
        renewOnce();
        return true;
    }

    /** Renews what is due. */
    void renewOnce() {
        if (leases != null) {
            leases.renewDue();
        }
    }

    /** How often to look for leases to renew; 0 if there are none. */
    long renewEveryNanos() {
        return leases == null ? 0 : leases.lookEveryNanos();
    }

    boolean isRenewalFailing() {
        return leases != null && leases.isFailing();
    }

    void endRenewal() {
        renewalEnded = true;
    }

    // ---- time limits --------------------------------------------------------------------------------------------

    RunningCalls calls() {
        return calls;
    }

    /** Enforces the time limits of the calls that run now. */
    void enforceTimeLimitsOnce() {
        calls.look();
    }
}
