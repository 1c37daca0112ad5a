package outbox.modulith.shop.orders;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

// snippet: publish
@Service
public class Orders {
    private final JdbcTemplate jdbc;
    private final ApplicationEventPublisher events;

    Orders(JdbcTemplate jdbc, ApplicationEventPublisher events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    @Transactional
    public void complete(String orderId, long cents) {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", orderId);
        events.publishEvent(new OrderCompleted(orderId, cents)); // written to the outbox with the order
    }
}
// end
