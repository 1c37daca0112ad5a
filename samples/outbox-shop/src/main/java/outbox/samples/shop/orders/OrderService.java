package outbox.samples.shop.orders;

import java.util.List;
import org.springframework.data.domain.Limit;
import org.springframework.stereotype.Service;
import outbox.domain.handler.EventHandler;
import outbox.idempotency.CreateRequest;
import outbox.idempotency.CreateWorkWithEvents;
import outbox.idempotency.IdempotentCreateResult;
import outbox.idempotency.IdempotentCreateTemplate;
import outbox.samples.shop.events.MailSent;
import outbox.samples.shop.events.PaymentRefused;
import outbox.samples.shop.events.PaymentTaken;

/** Takes orders and notes what became of them. */
@Service
public class OrderService {
    private final OrderRepository orders;
    private final IdempotentCreateTemplate once;

    OrderService(OrderRepository orders, IdempotentCreateTemplate once) {
        this.orders = orders;
        this.once = once;
    }

    /**
     * Order, idempotency key and event are one transaction. A client that got no answer sends the same key again and gets
     * the first order, not a second one.
     */
    public IdempotentCreateResult<PlacedOrder> place(String idempotencyKey, NewOrder wanted) {
        CreateRequest<PlacedOrder> request = CreateRequest.<PlacedOrder>builder("order", idempotencyKey)
                .request(wanted)
                .returning(PlacedOrder.class)
                .publicIdPrefix("ord_")
                .build();
        return once.create(request, (internalId, publicId) -> {
            Order order = orders.save(Order.place(publicId, wanted));
            return CreateWorkWithEvents.result(new PlacedOrder(publicId), order.pullDomainEvents());
        });
    }

    @EventHandler(name = "orders.paid", transactional = true)
    void on(PaymentTaken event) {
        order(event.orderId()).paymentTaken();
    }

    @EventHandler(name = "orders.refused", transactional = true)
    void on(PaymentRefused event) {
        order(event.orderId()).paymentRefused();
    }

    @EventHandler(name = "orders.mailed", transactional = true)
    void on(MailSent event) {
        order(event.orderId()).mailed();
    }

    private Order order(String id) {
        return orders.findLockedById(id).orElseThrow(() -> new IllegalStateException("there is no order " + id));
    }

    /** Newest first. */
    public List<OrderView> latest(int limit) {
        return orders.findAllByOrderByIdDesc(Limit.of(limit)).stream()
                .map(Order::view)
                .toList();
    }
}
