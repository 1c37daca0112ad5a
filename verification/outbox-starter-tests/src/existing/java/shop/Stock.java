package shop;

import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

@Component
class Stock {
    private final KafkaTemplate<String, String> kafka;

    Stock(KafkaTemplate<String, String> kafka) {
        this.kafka = kafka;
    }

    @TransactionalEventListener
    void report(OrderPlaced event) {
        kafka.send("stock", event.item(), "-1");
    }
}
