package outbox.cdc;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;

/**
 * An event that will not be delivered.
 *
 * @param relay the name of the relay that dead-lettered it
 * @param row the row as it was inserted; its payload is encrypted if the outbox encrypts payloads
 * @param event the event as passed to the listener; {@code null} if the row could not be read
 * @param attempts how often the listener was called
 * @param error the last error, with its stack trace
 */
public record CdcDeadLetter(
        String relay, OutboxEvent row, @Nullable EventEnvelope event, int attempts, String error) {}
