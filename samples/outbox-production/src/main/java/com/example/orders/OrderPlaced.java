package com.example.orders;

import java.time.Instant;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;

/** The name, not the class, is stored; the class can be moved and renamed. */
@EventName("order.placed")
public record OrderPlaced(String eventId, Instant occurredAt, String orderId, String customer, String item, int pieces)
        implements DomainEvent {
    static OrderPlaced of(String orderId, String customer, String item, int pieces) {
        return new OrderPlaced(DomainEvent.newId(), Instant.now(), orderId, customer, item, pieces);
    }

    @Override
    public String aggregateType() {
        return "Order";
    }

    @Override
    public String aggregateId() { // the key of the Kafka record
        return orderId;
    }
}
