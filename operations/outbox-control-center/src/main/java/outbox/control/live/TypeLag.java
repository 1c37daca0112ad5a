package outbox.control.live;

import org.jspecify.annotations.Nullable;

/**
 * Deliveries of one event type in the last minute, as far as the newest rows show them.
 *
 * @param p50Millis median time from creation to delivery
 */
public record TypeLag(
        String type,
        int delivered,
        @Nullable Double p50Millis,
        @Nullable Double p95Millis) {}
