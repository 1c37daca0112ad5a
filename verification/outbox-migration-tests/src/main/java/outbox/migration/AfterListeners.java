package outbox.migration;

import outbox.domain.handler.EventHandler;

// snippet: handlers
public class AfterListeners {
    private final Effects effects;

    AfterListeners(Effects effects) {
        this.effects = effects;
    }

    @EventHandler(name = "stock")
    void reserve(OrderPlaced event) {
        effects.add("stock " + event.orderId());
    }

    @EventHandler(name = "mail")
    void confirm(OrderPlaced event) {
        effects.add("mail " + event.orderId());
    }
}
// end
