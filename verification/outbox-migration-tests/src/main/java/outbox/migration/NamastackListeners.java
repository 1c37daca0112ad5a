package outbox.migration;

import io.namastack.outbox.annotation.OutboxHandler;

// snippet: listeners
public class NamastackListeners {
    private final Effects effects;

    NamastackListeners(Effects effects) {
        this.effects = effects;
    }

    @OutboxHandler
    public void reserve(OrderPlaced event) {
        effects.add("stock " + event.orderId());
    }

    @OutboxHandler
    public void confirm(OrderPlaced event) {
        effects.add("mail " + event.orderId());
    }
}
// end
