package outbox.poller;

import java.util.Objects;
import outbox.EventEnvelope;
import outbox.model.Lease;

/**
 * A decoded row that was claimed for the handler.
 *
 * @param attempts failed deliveries so far
 * @param suspect whether the lease of its former owner had run out: see {@link outbox.model.OutboxEvent#suspect}
 */
public record ClaimedEvent(EventEnvelope envelope, int attempts, Lease lease, boolean suspect) {
    public ClaimedEvent {
        Objects.requireNonNull(envelope, "envelope");
        Objects.requireNonNull(lease, "lease");
    }

    public ClaimedEvent(EventEnvelope envelope, int attempts, Lease lease) {
        this(envelope, attempts, lease, false);
    }
}
