package shop;

import java.util.UUID;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Orders {
    private final Customers customers;
    private final OrderMapper orders;
    private final ApplicationEventPublisher events;

    Orders(Customers customers, OrderMapper orders, ApplicationEventPublisher events) {
        this.customers = customers;
        this.orders = orders;
        this.events = events;
    }

    @Transactional
    public String place(String customer, String item) {
        customers.saveAndFlush(new Customer(customer));
        String id = UUID.randomUUID().toString();
        orders.insert(id, customer, item);
        events.publishEvent(new OrderPlaced(id, customer, item));
        if (item.equals("sold out")) {
            throw new SoldOutException(item);
        }
        return id;
    }
}
