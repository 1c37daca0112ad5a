package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.kafka.KafkaFormat;
import outbox.kafka.KafkaPublisher;
import outbox.listener.RetryPreset;
import outbox.registry.DefaultListenerRegistry;

/** Builds without a broker: the producer connects when it has something to send. */
class KafkaSnippets {
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();

    @Test
    void publisher() {
        String bootstrapServers = "127.0.0.1:1";
        // snippet: publisher
        KafkaPublisher publisher = KafkaPublisher.builder(bootstrapServers) // close it after the outbox
                .topic("outbox.event.{aggregateType}") // the default
                .producer("compression.type", "lz4") // any setting of Kafka's producer
                .build();

        registry.register(
                "Order",
                "order.placed",
                publisher.controlled().retry(RetryPreset.RELAY).build());
        // end
        assertThat(registry.listenerFor("Order", "order.placed")).hasToString("kafka");
        publisher.close();
    }

    @Test
    void limits() {
        try (KafkaPublisher publisher = KafkaPublisher.builder("127.0.0.1:1").build()) {
            // snippet: limits
            registry.register(
                    "Order",
                    "order.placed",
                    publisher
                            .controlled()
                            .concurrency(500) // records in flight; default 2000
                            .circuitBreaker(20, Duration.ofSeconds(5)) // default 50 failures, 10 s
                            .build());
            // end
            assertThat(registry.listenerFor("Order", "order.placed")).isNotNull();
        }
    }

    @Test
    void cloudEvents() {
        String bootstrapServers = "127.0.0.1:1";
        // snippet: cloudevents
        KafkaPublisher publisher = KafkaPublisher.builder(bootstrapServers)
                .format(KafkaFormat.CLOUDEVENTS_BINARY)
                .cloudEventsSource(URI.create("https://shop.example.com/orders"))
                .build();
        // end
        publisher.close();
    }
}
