package outbox.samples.shop.payments;

import org.springframework.stereotype.Service;
import outbox.domain.handler.EventHandler;
import outbox.samples.shop.events.OrderPlaced;

/**
 * Takes the money. The card company is another system, so no transaction is open while it is asked, and it may be asked
 * again: the key makes it charge once, the book makes us write it down once.
 */
@Service
class PaymentService {
    private final CardCompany cards;
    private final PaymentBook book;

    PaymentService(CardCompany cards, PaymentBook book) {
        this.cards = cards;
        this.book = book;
    }

    @EventHandler(name = "payments.take", retry = "shop", concurrency = 8)
    void on(OrderPlaced order) throws InterruptedException {
        boolean taken = cards.charge(order.orderId(), Card.of(order.card()));
        book.record(order, taken);
    }
}
