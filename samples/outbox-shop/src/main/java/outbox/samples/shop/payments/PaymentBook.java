package outbox.samples.shop.payments;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.domain.DomainEventPublisher;
import outbox.samples.shop.events.OrderPlaced;
import outbox.samples.shop.events.PaymentRefused;
import outbox.samples.shop.events.PaymentTaken;

/** The payments of all orders, one for each. */
@Service
class PaymentBook {
    private final PaymentMapper payments;
    private final DomainEventPublisher events;

    PaymentBook(PaymentMapper payments, DomainEventPublisher events) {
        this.payments = payments;
        this.events = events;
    }

    /** Payment and event are one transaction. What is in the book already stays as it is. */
    @Transactional
    public void record(OrderPlaced order, boolean taken) {
        if (payments.countOf(order.orderId()) > 0) {
            return;
        }
        events.publish(
                taken
                        ? new PaymentTaken(order.orderId(), order.cents(), order.email())
                        : new PaymentRefused(order.orderId(), order.cents(), order.email(), "declined by the bank"));
        payments.insert(order.orderId(), order.cents(), taken);
    }
}
