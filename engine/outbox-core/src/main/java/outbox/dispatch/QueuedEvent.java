package outbox.dispatch;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.FormerLease;
import outbox.model.Lease;

/**
 * An event that waits for a worker.
 *
 * @param attempts failed deliveries so far
 * @param lease what the row is held by; {@code null} if nobody leased it, its outcome is written without a fence then
 * @param formerLease whose lease had run out when it was claimed. If somebody else's, its last delivery may have ended with
 *     its process, and the next attempt is written before the listener is called
 */
public record QueuedEvent(
        EventEnvelope envelope,
        Source source,
        int attempts,
        @Nullable Lease lease,
        FormerLease formerLease) {
    /** Which way an event came. */
    public enum Source {
        /** From the business thread, right after commit. */
        HOT,
        /** From the table, by the poller. */
        COLD
    }

    public QueuedEvent {
        Objects.requireNonNull(envelope, "envelope");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(formerLease, "formerLease");
        if (attempts < 0) {
            throw new IllegalArgumentException("attempts must not be negative: " + attempts);
        }
    }

    public QueuedEvent(EventEnvelope envelope, Source source, int attempts) {
        this(envelope, source, attempts, null);
    }

    public QueuedEvent(EventEnvelope envelope, Source source, int attempts, @Nullable Lease lease) {
        this(envelope, source, attempts, lease, FormerLease.NONE);
    }
}
