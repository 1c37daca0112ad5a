package outbox.cdc;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;

/**
 * An event that will not be delivered.
 *
 * @param relay the name of the relay that gave it up
 * @param row the row as it was inserted, sealed if the outbox seals
 * @param event what the listener was given; {@code null} if the row could not be read
 * @param attempts how often the listener was called
 * @param error why, with its trace
 */
public record DeadLetter(
        String relay, OutboxEvent row, @Nullable EventEnvelope event, int attempts, String error) {}
