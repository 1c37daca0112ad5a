package outbox.spi;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * An event that is DEAD.
 *
 * @param event as it was written; if the row cannot be decoded, its names, ids and time with the payload {@code null}
 * @param readable whether the row could be decoded, so that {@code event} has its payload and headers
 * @param attempts those that were made
 * @param error the text in {@code last_error}: why it died
 */
public record DeadLetter(
        EventEnvelope event,
        boolean readable,
        int attempts,
        @Nullable String error) {}
