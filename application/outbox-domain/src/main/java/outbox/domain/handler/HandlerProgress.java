package outbox.domain.handler;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one handler and one event.
 *
 * @param attempts calls so far
 * @param dueIn how long until the next attempt, by the clock of whoever stores this; zero if it is due or over
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
