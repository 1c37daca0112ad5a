package outbox.migration;

import io.namastack.outbox.Outbox;
import org.springframework.transaction.annotation.Transactional;

// snippet: publish
public class NamastackOrders {
    private final Outbox outbox;

    NamastackOrders(Outbox outbox) {
        this.outbox = outbox;
    }

    @Transactional
    public void place(String orderId, String item) {
        outbox.schedule(new OrderPlaced(orderId, item), orderId);
    }
}
// end
