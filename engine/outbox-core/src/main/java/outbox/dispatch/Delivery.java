package outbox.dispatch;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.listener.ConcurrencyLimit;
import outbox.model.Lease;

/** One event on its way through this dispatcher, from its queue to its settled row. */
final class Delivery {
    private final QueuedEvent event;
    private volatile EventEnvelope envelope;
    private final long enqueuedAt;
    private final int size;
    private final AtomicBoolean sizeCounts = new AtomicBoolean();
    private volatile @Nullable String owner;
    private volatile long leasedAt;
    private volatile boolean leaseLost;
    private volatile boolean suspect;
    private volatile boolean finished;
    private volatile boolean failureShared;
    private volatile long calledAt;
    private volatile boolean called;
    private volatile boolean resumed;
    private volatile @Nullable ConcurrencyLimit limit;
    private boolean tracked; // guarded by this

    Delivery(QueuedEvent event, long now) {
        this.event = event;
        this.envelope = event.envelope().atAttempt(event.attempts() + 1);
        this.enqueuedAt = now;
        this.size = event.envelope().approximateSize();
        Lease lease = event.lease();
        this.owner = lease == null ? null : lease.owner();
        this.suspect = event.formerLease().isSuspect() && lease != null;
        this.leasedAt = lease == null ? now : lease.takenAtNanos();
    }

    String eventId() {
        return event.envelope().eventId();
    }

    EventEnvelope envelope() {
        return envelope;
    }

    /** Its listener is about to be called for the last time. */
    void isLastAttempt() {
        envelope = envelope.atAttempt(event.attempts() + 1, true);
    }

    QueuedEvent.Source source() {
        return event.source();
    }

    int attempts() {
        return event.attempts();
    }

    /** Whether its last delivery may have ended with its process: its attempt is written before its listener is called. */
    boolean isSuspect() {
        return suspect;
    }

    /** Whether this node held the row before, and its lease ran out: no outcome of that delivery was written until then. */
    boolean isReclaimed() {
        return event.formerLease().isOwn();
    }

    /** About how many bytes its event takes. */
    int size() {
        return size;
    }

    /** From now on its size counts as in flight. */
    void sizeCounts() {
        sizeCounts.set(true);
    }

    /** @return {@code false} if it did not count */
    boolean sizeNoLongerCounts() {
        return sizeCounts.getAndSet(false);
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
        suspect |= anew.isSuspect();
        leaseRenewed(anew.leasedAt());
    }

    void leaseLost() {
        leaseLost = true;
    }

    boolean isLeaseLost() {
        return leaseLost;
    }

    /** This delivery asks its listener's concurrency limit for a place: when it comes again, it has one. */
    void atConcurrencyLimit(ConcurrencyLimit limit) {
        this.limit = limit;
        this.resumed = true;
    }

    /** Whether this delivery was admitted before and comes from its listener's limit. */
    boolean isResumed() {
        return resumed;
    }

    /** Removes this delivery from the concurrency limit it waits for. @return {@code false} if it waits for none */
    boolean withdraw() {
        ConcurrencyLimit waitsAt = limit;
        if (waitsAt == null || !waitsAt.withdraw(this)) {
            return false;
        }
        limit = null;
        return true;
    }

    /** Frees its place under the concurrency limit, if it has one, for the next that waits. */
    void leaveConcurrencyLimit() {
        if (limit == null) {
            return;
        }
        ConcurrencyLimit left;
        synchronized (this) { // a call that ends while it times out must not free two places
            left = limit;
            limit = null;
        }
        if (left != null) {
            left.leave();
        }
    }

    /** The concurrency limit had no place for it, not even to wait. */
    void refusedAtLimit() {
        limit = null;
    }

    /** The in-flight tracker has an entry for it. */
    synchronized void tracked() {
        tracked = true;
    }

    /** @return whether the in-flight tracker had an entry for it; it is the caller's to release */
    synchronized boolean untracked() {
        boolean was = tracked;
        tracked = false;
        return was;
    }

    /** If it has failed, so have all others of its batch, and any of them may be to blame. */
    void sharesFailure() {
        failureShared = true;
    }

    boolean isFailureShared() {
        return failureShared;
    }

    /** Its outcome is known; only writing it remains. */
    void finish() {
        finished = true;
    }

    boolean isFinished() {
        return finished;
    }
}
