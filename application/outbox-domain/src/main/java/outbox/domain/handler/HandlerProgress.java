package outbox.domain.handler;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one handler with one event.
 *
 * @param attempts calls so far
 * @param dueIn time until the next attempt, by the clock of the storage; zero if it is due or ended
 * @param lastError of the last failed attempt
 * @param updatedAt when it was stored
 */
public record HandlerProgress(
        String eventId,
        String handler,
        HandlerState state,
        int attempts,
        Duration dueIn,
        @Nullable String lastError,
        @Nullable Instant updatedAt) {
    public HandlerProgress {
        Objects.requireNonNull(eventId, "eventId");
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(state, "state");
        if (dueIn.isNegative()) {
            dueIn = Duration.ZERO;
        }
    }

    static HandlerProgress pending(String eventId, String handler) {
        return new HandlerProgress(eventId, handler, HandlerState.PENDING, 0, Duration.ZERO, null, null);
    }
}
