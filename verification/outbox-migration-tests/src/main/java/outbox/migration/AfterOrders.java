package outbox.migration;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.transaction.annotation.Transactional;

// snippet: publish
public class AfterOrders {
    private final ApplicationEventPublisher events;

    AfterOrders(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Transactional
    public void place(String orderId, String item) {
        events.publishEvent(new OrderPlaced(orderId, item));
    }
}
// end
