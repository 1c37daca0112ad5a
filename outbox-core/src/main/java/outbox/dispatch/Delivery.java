package outbox.dispatch;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.Lease;

/** One event on its way through this dispatcher, from its queue to its settled row. */
final class Delivery {
    private final QueuedEvent event;
    private final long enqueuedAt;
    private volatile long leasedAt;
    private volatile boolean leaseLost;
    private volatile boolean finished;
    private volatile long calledAt;
    private volatile boolean called;
    private volatile @Nullable Gate gate;
<<<<<<< Updated upstream
=======
    private volatile @Nullable Consumer<Delivery> home;
>>>>>>> Stashed changes

    Delivery(QueuedEvent event, long now) {
        this.event = event;
        this.enqueuedAt = now;
        Lease lease = event.lease();
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

    /** The lease owner, or {@code null} for an event nobody leased. */
    @Nullable
    String owner() {
        Lease lease = event.lease();
        return lease == null ? null : lease.owner();
    }

    boolean isLeased() {
        return event.lease() != null;
    }

    /** When the lease was taken or last renewed, in ticks. */
    long leasedAt() {
        return leasedAt;
    }

    /** The lease was renewed, or taken anew by this node after it had run out. */
    void leaseRenewed(long at) {
        leasedAt = at;
        leaseLost = false;
    }

    void leaseLost() {
        leaseLost = true;
    }

    boolean isLeaseLost() {
        return leaseLost;
    }

<<<<<<< Updated upstream
    /** This delivery asks its listener's gate for a place: when it comes again, it has one. */
    void atGate(Gate gate) {
        this.gate = gate;
=======
    /** From now on this delivery has a place at the gate or waits for one; it goes on {@code home} when it has it. */
    void waitAtGate(Gate gate, Consumer<Delivery> home) {
        this.gate = gate;
        this.home = home;
    }

    /** It has its place at the gate and goes on. */
    void resume() {
        Objects.requireNonNull(home).accept(this);
>>>>>>> Stashed changes
    }

    /** Whether this delivery was admitted before and comes from its listener's gate. */
    boolean isResumed() {
        return gate != null;
    }

<<<<<<< Updated upstream
    /** Takes this delivery back from the gate where it waits. @return {@code false} if it does not wait at one */
    boolean withdraw() {
        Gate waitsAt = gate;
        return waitsAt != null && waitsAt.withdraw(this);
=======
    /** Gives up its place at the gate, if it has one, for the next that waits there. */
    void leaveGate() {
        Gate left = gate;
        if (left != null) {
            gate = null;
            left.leave();
        }
    }

    /** Stops waiting at the gate. @return {@code false} if it does not wait there */
    boolean withdrawFromGate() {
        Gate left = gate;
        if (left == null || !left.withdraw(this)) {
            return false;
        }
        gate = null;
        return true;
    }

    /** The gate has no place for it, not even to wait. */
    void refusedAtGate() {
        gate = null;
>>>>>>> Stashed changes
    }

    /** Its outcome is known; only writing it remains. */
    void finish() {
        finished = true;
    }

    boolean isFinished() {
        return finished;
    }
}
