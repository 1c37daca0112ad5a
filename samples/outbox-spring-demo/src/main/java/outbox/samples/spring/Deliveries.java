package outbox.samples.spring;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;
import outbox.EventEnvelope;
import outbox.EventListener;
import tools.jackson.databind.json.JsonMapper;

/**
 * Stands for the system the events go to. Delivery is at least once, so it keeps one entry for each event id: a second
 * delivery of the same event changes nothing.
 */
@Component
class Deliveries implements EventListener {
    private final Map<String, Delivery> byEventId = new ConcurrentHashMap<>();
    private final JsonMapper json;
    private volatile boolean bombsAccepted;

    Deliveries(JsonMapper json) {
        this.json = json;
    }

    record Delivery(String eventId, String eventType, OrderService.Order order) {}

    @Override
    public void onEvent(EventEnvelope event) {
        OrderService.Order order = json.readValue(event.payloadJson(), OrderService.Order.class);
        if (order.item().equals("bomb") && !bombsAccepted) {
            throw new IllegalArgumentException("nobody delivers a bomb");
        }
        byEventId.put(event.eventId(), new Delivery(event.eventId(), event.eventType(), order));
    }

    List<Delivery> all() {
        return List.copyOf(byEventId.values());
    }

    void acceptBombs() {
        bombsAccepted = true;
    }
}
