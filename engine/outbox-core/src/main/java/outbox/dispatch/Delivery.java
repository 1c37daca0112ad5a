package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.Lease;
import outbox.spi.FailedDelivery;
import outbox.spi.FailureListener;
import outbox.spi.Settlement;

/** One event on its way through this dispatcher, from its queue to its settled row. */
final class Delivery {
    private static final Logger LOG = System.getLogger(Delivery.class.getName());

    private final QueuedEvent event;
    private final long enqueuedAt;
    private volatile @Nullable String owner;
    private volatile long leasedAt;
    private volatile boolean leaseLost;
    private volatile boolean finished;
    private volatile long calledAt;
    private volatile boolean called;
    private volatile boolean resumed;
    private volatile @Nullable Gate gate;

    Delivery(QueuedEvent event, long now) {
        this.event = event;
        this.enqueuedAt = now;
        Lease lease = event.lease();
        this.owner = lease == null ? null : lease.owner();
        this.leasedAt = lease == null ? now : lease.takenAtNanos();
    }

    String eventId() {
        return event.envelope().eventId();
    }

    EventEnvelope envelope() {
        return event.envelope();
    }

    QueuedEvent.Source source() {
        return event.source();
    }

    int attempts() {
        return event.attempts();
    }

    /** When the event came to this dispatcher, in ticks. */
    long enqueuedAt() {
        return enqueuedAt;
    }

    /** Its listener is being called. */
    void called(long at) {
        calledAt = at;
        called = true;
    }

    /** Since its listener was called, in ticks; {@code null} if it was not. */
    @Nullable
    Duration sinceCall(long now) {
        return called ? Duration.ofNanos(now - calledAt) : null;
    }

    /** Tells of a failed attempt; what the listener of failures throws itself is logged only. */
    void reportFailure(FailureListener failures, Throwable failure, Settlement outcome, long now) {
        try {
            failures.failed(new FailedDelivery(envelope(), attempts() + 1, owner(), sinceCall(now), failure, outcome));
        } catch (Throwable e) { // a listener of the user's own
            LOG.log(Level.WARNING, "failure listener failed at event " + eventId() + "; ignored", e);
        }
    }

    /** The lease owner, or {@code null} for an event nobody leased. */
    @Nullable
    String owner() {
        return owner;
    }

    boolean isLeased() {
        return owner != null;
    }

    /** When the lease was taken or last renewed, in ticks. */
    long leasedAt() {
        return leasedAt;
    }

    void leaseRenewed(long at) {
        leasedAt = at;
        leaseLost = false;
    }

    /** This node took the row anew after the lease had run out, perhaps under another name. */
    void leaseTaken(Delivery anew) {
        owner = anew.owner();
        leaseRenewed(anew.leasedAt());
    }

    void leaseLost() {
        leaseLost = true;
    }

    boolean isLeaseLost() {
        return leaseLost;
    }

    /** This delivery asks its listener's gate for a place: when it comes again, it has one. */
    void atGate(Gate gate) {
        this.gate = gate;
        this.resumed = true;
    }

    /** Whether this delivery was admitted before and comes from its listener's gate. */
    boolean isResumed() {
        return resumed;
    }

    /** Takes this delivery back from the gate where it waits. @return {@code false} if it does not wait at one */
    boolean withdraw() {
        Gate waitsAt = gate;
        if (waitsAt == null || !waitsAt.withdraw(this)) {
            return false;
        }
        gate = null;
        return true;
    }

    /** Gives its place at the gate, if it has one, to the next that waits there. */
    void leaveGate() {
        Gate left = gate;
        if (left != null) {
            gate = null;
            left.leave();
        }
    }

    /** The gate had no place for it, not even to wait. */
    void refusedAtGate() {
        gate = null;
    }

    /** Its outcome is known; only writing it remains. */
    void finish() {
        finished = true;
    }

    boolean isFinished() {
        return finished;
    }
}
