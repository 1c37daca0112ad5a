package outbox.modulith.shop.inventory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.stereotype.Service;
import outbox.modulith.shop.orders.OrderCompleted;

/** Hears of orders by Spring Modulith's own registry. */
@Service
public class Inventory {
    private final List<String> reserved = new CopyOnWriteArrayList<>();
    private final ApplicationEventPublisher events;

    Inventory(ApplicationEventPublisher events) {
        this.events = events;
    }

    /** For this application alone. */
    public record Reserved(String orderId) {}

    @ApplicationModuleListener
    void on(OrderCompleted event) {
        reserved.add(event.orderId());
        events.publishEvent(new Reserved(event.orderId()));
    }

    public List<String> reserved() {
        return reserved;
    }
}
