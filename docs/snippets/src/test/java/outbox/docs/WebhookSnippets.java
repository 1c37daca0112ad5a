package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import outbox.EventListener;
import outbox.listener.RetryPreset;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.webhook.WebhookBody;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookEndpoint;
import outbox.webhook.WebhookPublisher;
import outbox.webhook.WebhookRoutes;
import outbox.webhook.WebhookSecret;
import outbox.webhook.WebhookVerificationException;
import outbox.webhook.WebhookVerifier;

class WebhookSnippets {
    private final String secretFromConfiguration = WebhookSecret.generate().reveal();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final EventListener mailer = event -> {};

    @Test
    void endpoint() {
        // snippet: endpoint
        WebhookClient client = WebhookClient.builder().build(); // one for all endpoints; close it after the outbox

        WebhookEndpoint crm = WebhookEndpoint.builder("crm", URI.create("https://crm.example.com/hooks"))
                .secrets(WebhookSecret.parse(secretFromConfiguration))
                .timeout(Duration.ofSeconds(10)) // default 15 s
                .concurrency(16) // requests in flight
                .ratePerSecond(50) // default: no limit
                .circuitBreaker(10, Duration.ofSeconds(30))
                .build();

        WebhookPublisher publisher = client.publisher(crm);
        registry.register(
                "Order",
                "order.placed",
                publisher.controlled().retry(RetryPreset.OUTBOUND).build());
        // end
        assertThat(registry.listenerFor("Order", "order.placed")).hasToString("webhook-crm");
        client.close();
    }

    @Test
    void routes() {
        WebhookSecret secret = WebhookSecret.parse(secretFromConfiguration);
        DefaultListenerRegistry others = registry.register("Order", "order.mailed", mailer);
        try (WebhookClient client = WebhookClient.builder().build()) {
            // snippet: routes
            WebhookEndpoint orders = WebhookEndpoint.builder("orders", URI.create("https://a.example.com/in"))
                    .secrets(secret)
                    .eventTypes("order.*")
                    .tenants("acme")
                    .build();
            WebhookEndpoint everythingElse = WebhookEndpoint.builder("rest", URI.create("https://b.example.com/in"))
                    .secrets(secret)
                    .eventTypes("customer.*", "invoice.*")
                    .build();

            ListenerRegistry listeners = new WebhookRoutes(others) // what has a listener there is no webhook
                    .add(client.publisher(orders))
                    .add(client.publisher(everythingElse));
            // end
            assertThat(listeners.listenerFor("Order", "order.placed")).hasToString("webhook-orders");
            assertThat(listeners.listenerFor("Order", "order.mailed")).isSameAs(mailer);
        }
    }

    @Test
    void rotation() {
        WebhookSecret old = WebhookSecret.generate();
        WebhookSecret current = WebhookSecret.generate();
        List<WebhookSecret> stored = List.of(current, old);
        // snippet: rotation
        WebhookEndpoint crm = WebhookEndpoint.builder("crm", URI.create("https://crm.example.com/hooks"))
                .secretSource(() -> stored) // asked before each request: both sign while a secret changes
                .build();
        // end
        assertThat(crm.name()).isEqualTo("crm");
    }

    @Test
    void gone() {
        WebhookEndpoint crm = WebhookEndpoint.builder("crm", URI.create("https://crm.example.com/hooks"))
                .secrets(WebhookSecret.generate())
                .build();
        try (WebhookClient client = WebhookClient.builder().build()) {
            Endpoints endpoints = name -> {};
            // snippet: gone
            WebhookPublisher publisher =
                    client.publisher(crm).onDisabled(endpoint -> endpoints.markDisabled(endpoint.name()));
            // end
            assertThat(publisher.isDisabled()).isFalse();
        }
    }

    private interface Endpoints {
        void markDisabled(String name);
    }

    @Test
    void intranet() {
        // snippet: intranet
        WebhookClient client = WebhookClient.builder()
                .allowAddresses("10.20.0.0/16", "fd00:20::/32")
                .allowHttp() // everyone on the way can read the events
                .build();
        // end
        client.close();
    }

    @Test
    void cloudEvents() {
        // snippet: cloudevents
        WebhookEndpoint.Builder endpoint = WebhookEndpoint.builder("crm", URI.create("https://crm.example.com/hooks"))
                .body(WebhookBody.CLOUDEVENTS_STRUCTURED)
                .cloudEventsSource(URI.create("https://shop.example.com/orders"));
        // end
        assertThat(endpoint).isNotNull();
    }

    @Test
    void verify() throws Exception {
        Receiver receiver = new Receiver(WebhookVerifier.of(WebhookSecret.parse(secretFromConfiguration)));
        assertThat(receiver.receive(name -> null, "{}".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(401);
    }

    private static final class Receiver {
        private final WebhookVerifier verifier;

        Receiver(WebhookVerifier verifier) {
            this.verifier = verifier;
        }

        // snippet: verify
        int receive(Function<String, String> header, byte[] body) {
            try {
                String eventId = verifier.verify(header::apply, body); // the bytes as they came, not parsed and printed
                handleOnce(eventId, body);
                return 204;
            } catch (WebhookVerificationException e) {
                return 401;
            }
        }
        // end

        private void handleOnce(String eventId, byte[] body) {}
    }
}
