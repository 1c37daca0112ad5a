package outbox.samples.shop.events;

import outbox.domain.DomainEvent;

/** The card company has answered. A handler that takes this takes both answers. */
public sealed interface PaymentSettled extends DomainEvent permits PaymentTaken, PaymentRefused {
    String orderId();

    long cents();

    String email();

    @Override
    default String aggregateType() {
        return "Payment";
    }

    @Override
    default String aggregateId() {
        return orderId();
    }
}
