package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dispatch.ControlledListener;
import outbox.registry.DefaultListenerRegistry;

class WebhookRoutesTest {
    private final Receiver one = Receiver.tls();
    private final Receiver two = Receiver.tls();
    private final WebhookClient client = TestClient.builder().build();

    @AfterEach
    void close() {
        client.close();
        one.close();
        two.close();
    }

    private WebhookPublisher publisher(String name, Receiver receiver, String type, String... tenants) {
        return client.publisher(WebhookEndpoint.builder(name, receiver.url())
                .secrets(TestClient.SECRET)
                .eventTypes(type)
                .tenants(tenants)
                .build());
    }

    private static EventEnvelope event(String tenant) {
        return EventEnvelope.builder("order.placed")
                .tenantId(tenant)
                .payloadJson("{}")
                .build();
    }

    @Test
    void theEndpointIsFoundByPatternAndKeepsItsOwnControl() {
        WebhookRoutes routes =
                new WebhookRoutes().add(publisher("a", one, "order.*")).add(publisher("b", two, "invoice.*"));
        EventListener found = routes.listenerFor("Order", "order.placed");
        assertThat(found).isInstanceOf(ControlledListener.class).hasToString("webhook-a");
        assertThat(routes.listenerFor("Order", "order.shipped")).isSameAs(found);
        assertThat(routes.listenerFor("Order", "invoice.sent")).hasToString("webhook-b");
        assertThat(routes.listenerFor("Order", "customer.created")).isNull();
    }

    @Test
    void listenersFoundElsewhereComeFirst() {
        EventListener own = event -> {};
        WebhookRoutes routes = new WebhookRoutes(new DefaultListenerRegistry().register("Order", "order.placed", own))
                .add(publisher("a", one, "order.*"));
        assertThat(routes.listenerFor("Order", "order.placed")).isSameAs(own);
        assertThat(routes.listenerFor("Order", "order.shipped")).hasToString("webhook-a");
    }

    @Test
    void tenantsShareAnEventTypeAndGoToTheirOwnEndpoints() throws Exception {
        WebhookRoutes routes = new WebhookRoutes()
                .add(publisher("a", one, "order.*", "acme"))
                .add(publisher("b", two, "order.*", "umbrella"));
        EventListener listener = routes.listenerFor("Order", "order.placed");
        assertThat(routes.listenerFor("Order", "order.placed")).isSameAs(listener);
        listener.onEvent(event("acme"));
        listener.onEvent(event("umbrella"));
        listener.onEvent(event("umbrella"));
        listener.onEvent(event("nobody"));
        listener.onEvent(event(null));
        assertThat(one.received()).hasSize(1);
        assertThat(two.received()).hasSize(2);
    }

    @Test
    void endpointsThatWantTheSameEventsAreRefusedByName() {
        WebhookRoutes routes = new WebhookRoutes()
                .add(publisher("a", one, "order.*", "acme", "umbrella"))
                .add(publisher("b", two, "*.placed", "umbrella"));
        assertThat(routes.listenerFor("Order", "order.shipped")).isNotNull();
        assertThatThrownBy(() -> routes.listenerFor("Order", "order.placed"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a and b");
    }
}
