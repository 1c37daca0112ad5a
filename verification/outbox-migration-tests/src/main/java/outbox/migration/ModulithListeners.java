package outbox.migration;

import org.springframework.modulith.events.ApplicationModuleListener;

// snippet: listeners
public class ModulithListeners {
    private final Effects effects;

    ModulithListeners(Effects effects) {
        this.effects = effects;
    }

    @ApplicationModuleListener
    void reserve(OrderPlaced event) {
        effects.add("stock " + event.orderId());
    }

    @ApplicationModuleListener
    void confirm(OrderPlaced event) {
        effects.add("mail " + event.orderId());
    }
}
// end
