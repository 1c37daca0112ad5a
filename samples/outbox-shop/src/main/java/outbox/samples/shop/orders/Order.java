package outbox.samples.shop.orders;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;
import outbox.domain.AggregateRoot;
import outbox.samples.shop.events.OrderPlaced;

/**
 * An order. It looks at its state and not at the sequence of events: "paid" and "mailed" may come in either order, and
 * more than once.
 */
@Entity
@Table(name = "shop_order")
class Order extends AggregateRoot {
    /** What is known of the money. */
    enum Payment {
        OPEN,
        TAKEN,
        REFUSED
    }

    @Id
    private String id;

    private String item;
    private long cents;
    private String card;
    private String email;

    @Enumerated(EnumType.STRING)
    private Payment payment = Payment.OPEN;

    private boolean mailed;

    @Version
    private @Nullable Integer version;

    @SuppressWarnings("NullAway.Init")
    protected Order() {}

    private Order(String id, NewOrder wanted) {
        this.id = id;
        this.item = wanted.item();
        this.cents = wanted.cents();
        this.card = wanted.card();
        this.email = wanted.email();
    }

    static Order place(String id, NewOrder wanted) {
        Order order = new Order(id, wanted);
        order.raise(new OrderPlaced(id, wanted.item(), wanted.cents(), wanted.card(), wanted.email()));
        return order;
    }

    void paymentTaken() {
        payment = Payment.TAKEN;
    }

    void paymentRefused() {
        payment = Payment.REFUSED;
    }

    void mailed() {
        mailed = true;
    }

    OrderView view() {
        return new OrderView(id, item, cents, card, email, payment.name(), mailed);
    }
}
