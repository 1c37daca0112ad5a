package outbox.poller;

import java.util.Objects;
import outbox.EventEnvelope;
import outbox.model.Lease;

/**
 * A decoded row that was claimed for the handler.
 *
 * @param attempts failed deliveries so far
 */
public record ClaimedEvent(EventEnvelope envelope, int attempts, Lease lease) {
    public ClaimedEvent {
        Objects.requireNonNull(envelope, "envelope");
        Objects.requireNonNull(lease, "lease");
    }
}
