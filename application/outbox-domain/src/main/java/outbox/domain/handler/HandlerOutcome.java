package outbox.domain.handler;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one call of a handler, to be stored.
 *
 * @param attempts calls so far, this one included
 * @param delay until the next attempt; zero unless the state is {@link HandlerState#RETRY}
 */
public record HandlerOutcome(
        String eventId,
        String handler,
        HandlerState state,
        int attempts,
        Duration delay,
        @Nullable String error) {
    public HandlerOutcome {
        Objects.requireNonNull(eventId, "eventId");
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(delay, "delay");
        if (state == HandlerState.PENDING) {
            throw new IllegalArgumentException("PENDING is not an outcome");
        }
    }
}
