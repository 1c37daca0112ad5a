package outbox.spring.boot.test;

import outbox.EventEnvelope;
import outbox.domain.type.EventDeserializer;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.spi.EventSeal;
import outbox.testing.PublishedEvent;

/** Converts rows back to events, including encrypted ones. */
final class StoredEvents {
    private final EventTypes types;
    private final EventDeserializer reader;
    private final EventSeal seal;

    StoredEvents(EventTypes types, PayloadSerializer serializer, EventSeal seal) {
        this.types = types;
        this.reader = new EventDeserializer(types, serializer);
        this.seal = seal;
    }

    boolean isOf(Class<?> eventClass, PublishedEvent row) {
        Class<?> stored = types.classOf(row.eventType());
        return stored != null && eventClass.isAssignableFrom(stored);
    }

    /** @throws RuntimeException if the row cannot be read, as a handler would get it */
    Object read(PublishedEvent row) {
        return reader.read(seal.open(EventEnvelope.builder(row.eventType())
                .eventId(row.eventId())
                .aggregateType(row.aggregateType())
                .aggregateId(row.aggregateId())
                .tenantId(row.tenantId())
                .headers(row.headers())
                .payloadJson(row.payload())
                .build()));
    }
}
