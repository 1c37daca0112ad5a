package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Outbox;
import outbox.listener.ControlledListener;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;

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
        for (String tenant : Arrays.asList("acme", "umbrella", "umbrella", "nobody", null)) {
            listener.onEvent(event(tenant));
        }
        assertThat(one.received()).hasSize(1);
        assertThat(two.received()).hasSize(2);
    }

    @Test
    void theTenantDecidesByWhichEndpointsRulesAnEventIsDelivered() throws Exception {
        EventListener own = event -> {};
        ListenerRegistry others = new DefaultListenerRegistry().register("order.mailed", own);
        WebhookRoutes routes = new WebhookRoutes(others)
                .add(publisher("a", one, "order.*", "acme"))
                .add(publisher("b", two, "order.*", "umbrella"));
        EventListener found = routes.listenerFor(event("acme"));
        assertThat(found).isInstanceOf(ControlledListener.class).hasToString("webhook-a");
        assertThat(routes.listenerFor(event("acme"))).isSameAs(found);
        assertThat(routes.listenerFor(event("umbrella"))).hasToString("webhook-b");
        assertThat(routes.listenerFor(EventEnvelope.ofJson("order.mailed", "{}")))
                .isSameAs(own);
        assertThat(routes.listenerFor(EventEnvelope.ofJson("customer.created", "{}")))
                .isNull();
        EventListener nobody = routes.listenerFor(event("nobody"));
        assertThat(nobody).isNotNull();
        nobody.onEvent(event("nobody"));
        assertThat(one.received()).isEmpty();
        assertThat(two.received()).isEmpty();
    }

    @Test
    void aTenantWhoseEndpointHangsDoesNotHoldUpAnother() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        one.answering(exchange -> {
            awaitQuietly(end);
            exchange.sendResponseHeaders(204, -1);
        });
        WebhookRoutes routes = new WebhookRoutes()
                .add(publisher("a", one, "order.*", "acme"))
                .add(publisher("b", two, "order.*", "umbrella"));
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTxContext transactions = store.txContext();
        try (Outbox outbox = Outbox.singleNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(transactions)
                .listeners(routes)
                .build()
                .start()) {
            int hanging = 2 * WebhookEndpoint.DEFAULT_CONCURRENCY + 8;
            for (int i = 0; i < hanging; i++) {
                transactions.inTransaction(() -> outbox.writer().write(event("acme")));
            }
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> one.received().size() == WebhookEndpoint.DEFAULT_CONCURRENCY);
            transactions.inTransaction(() -> outbox.writer().write(event("umbrella")));
            await().atMost(Duration.ofMinutes(1)).until(() -> two.received().size() == 1);
            assertThat(one.received()).hasSize(WebhookEndpoint.DEFAULT_CONCURRENCY);
            end.countDown();
            await().atMost(Duration.ofSeconds(30)).until(() -> store.count(EventStatus.DONE) == hanging + 1);
        } finally {
            end.countDown();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void endpointsThatMayWantTheSameEventsAreRefusedByName() {
        WebhookRoutes routes = new WebhookRoutes().add(publisher("a", one, "order.*", "acme", "umbrella"));
        assertThatThrownBy(() -> routes.add(publisher("b", two, "*.placed", "umbrella")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a and b");
        assertThatThrownBy(() -> routes.add(publisher("c", two, "*"))).hasMessageContaining("a and c");
        routes.add(publisher("d", two, "invoice.*", "umbrella")).add(publisher("e", two, "*.placed", "initech"));
    }
}
