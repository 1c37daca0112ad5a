package outbox.poller;

import java.util.Objects;
import outbox.EventEnvelope;
import outbox.model.FormerLease;
import outbox.model.Lease;

/**
 * A decoded row that was claimed for the handler.
 *
 * @param attempts failed deliveries so far
 * @param formerLease whose lease had run out when it was claimed
 */
public record ClaimedEvent(EventEnvelope envelope, int attempts, Lease lease, FormerLease formerLease) {
    public ClaimedEvent {
        Objects.requireNonNull(envelope, "envelope");
        Objects.requireNonNull(lease, "lease");
        Objects.requireNonNull(formerLease, "formerLease");
    }

    public ClaimedEvent(EventEnvelope envelope, int attempts, Lease lease) {
        this(envelope, attempts, lease, FormerLease.NONE);
    }

    /** Whether its last delivery may have ended with its process: see {@link outbox.model.OutboxEvent#suspect}. */
    public boolean suspect() {
        return formerLease.isSuspect();
    }
}
