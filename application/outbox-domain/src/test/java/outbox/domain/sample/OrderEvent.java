package outbox.domain.sample;

import outbox.domain.DomainEvent;

public interface OrderEvent extends DomainEvent {
    String orderId();
}
