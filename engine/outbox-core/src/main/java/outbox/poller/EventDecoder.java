package outbox.poller;

import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.EventSeal;
import outbox.spi.StoredPayload;
import outbox.util.JsonCodec;

/** Turns a row into the event that was written. */
final class EventDecoder {
    private final JsonCodec codec;
    private final EventSeal seal;

    EventDecoder(JsonCodec codec, EventSeal seal) {
        this.codec = codec;
        this.seal = seal;
    }

    /**
     * @throws outbox.RetryAfterException if the row cannot be read now
     * @throws RuntimeException if the row cannot be read, whatever the reason
     */
    EventEnvelope decode(OutboxEvent row) {
        return seal.open(StoredPayload.eventOf(row, codec));
    }
}
