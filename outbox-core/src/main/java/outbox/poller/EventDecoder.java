package outbox.poller;

import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.util.JsonCodec;
import outbox.util.StoredPayload;

/** Turns a row into the event that was written. */
final class EventDecoder {
    private final JsonCodec codec;

    EventDecoder(JsonCodec codec) {
        this.codec = codec;
    }

    /** @throws RuntimeException if the row can not be read, whatever the reason */
    EventEnvelope decode(OutboxEvent row) {
        EventEnvelope.Builder event = EventEnvelope.builder(row.eventType())
                .eventId(row.eventId())
                .occurredAt(row.createdAt())
                .aggregateType(row.aggregateType())
                .aggregateId(row.aggregateId())
                .tenantId(row.tenantId())
                .headers(codec.parseObject(row.headersJson()));
        return StoredPayload.decode(row.payloadJson(), event).build();
    }
}
