package outbox.samples.spring;

import java.util.List;
import java.util.Objects;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import tools.jackson.databind.json.JsonMapper;

/** Places orders: the row and its event commit together, or not at all. */
@Service
class OrderService {
    private final JdbcClient jdbc;
    private final OutboxWriter outbox;
    private final JsonMapper json;

    OrderService(JdbcClient jdbc, OutboxWriter outbox, JsonMapper json) {
        this.jdbc = jdbc;
        this.outbox = outbox;
        this.json = json;
    }

    record Order(long id, String item, int quantity) {}

    @Transactional
    public Order place(String item, int quantity) {
        KeyHolder key = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO orders (item, quantity) VALUES (?, ?)")
                .params(item, quantity)
                .update(key, "id");
        Order order = new Order(Objects.requireNonNull(key.getKey()).longValue(), item, quantity);
        outbox.write(EventEnvelope.builder(OrderEvents.Type.ORDER_PLACED)
                .aggregateType(OrderEvents.ORDER)
                .aggregateId(String.valueOf(order.id()))
                .payloadJson(json.writeValueAsString(order))
                .build());
        if (item.equals("sofa")) {
            throw new SoldOutException(item); // after both writes: both are rolled back
        }
        return order;
    }

    @Transactional(readOnly = true)
    public List<Order> all() {
        return jdbc.sql("SELECT id, item, quantity FROM orders ORDER BY id")
                .query(Order.class)
                .list();
    }

    static final class SoldOutException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SoldOutException(String item) {
            super(item + " is sold out");
        }
    }
}
