package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.listener.RetryPreset;
import outbox.rabbitmq.RabbitPublisher;
import outbox.registry.DefaultListenerRegistry;

/** Builds without a broker: the publisher connects when it has something to send. */
class RabbitSnippets {
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();

    @Test
    void publisher() {
        // snippet: publisher
        ConnectionFactory factory = new ConnectionFactory(); // host, user, TLS: as in any RabbitMQ client
        factory.setHost("rabbit.example.com");

        RabbitPublisher publisher = RabbitPublisher.builder(factory) // close it after the outbox
                .exchange("orders") // must exist; default "outbox"
                .routingKey("{aggregateType}.{eventType}") // the default
                .confirmTimeout(Duration.ofSeconds(10)) // default 30 s
                .build();

        registry.register(
                "Order",
                "order.placed",
                publisher.controlled().retry(RetryPreset.RELAY).build());
        // end
        assertThat(registry.listenerFor("Order", "order.placed")).hasToString("rabbitmq");
        publisher.close();
    }
}
