package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;

class WebhookEndpointTest {
    private static final URI URL = URI.create("https://hooks.example/path?key=hidden");

    private static WebhookEndpoint.Builder endpoint() {
        return WebhookEndpoint.builder("crm", URL).secrets(TestClient.SECRET);
    }

    private static EventEnvelope event(String type, String tenant) {
        return EventEnvelope.builder(type).tenantId(tenant).payloadJson("{}").build();
    }

    @Test
    void takesAllEventsUnlessToldOtherwise() {
        WebhookEndpoint all = endpoint().build();
        assertThat(all.takes(event("order.placed", null))).isTrue();
        assertThat(all.takes(event("x", "acme"))).isTrue();
    }

    @Test
    void takesEventTypesByPattern() {
        WebhookEndpoint some = endpoint()
                .eventTypes("order.*", "*.deleted", "customer.created", "a*b*c")
                .build();
        for (String wanted : new String[] {
            "order.placed", "order.", "order.placed.eu", "user.deleted", "customer.created", "abc", "aXbYc"
        }) {
            assertThat(some.takes(event(wanted, null))).as(wanted).isTrue();
        }
        for (String other : new String[] {"orders", "order", "Order.placed", "customer.createdX", "acb", "xabc"}) {
            assertThat(some.takes(event(other, null))).as(other).isFalse();
        }
    }

    @Test
    void dotsInPatternsAreDots() {
        assertThat(endpoint().eventTypes("a.b").build().takes(event("aXb", null)))
                .isFalse();
    }

    @Test
    void takesTheTenantsItNames() {
        WebhookEndpoint acme = endpoint().tenants("acme", "umbrella").build();
        assertThat(acme.takes(event("x", "acme"))).isTrue();
        assertThat(acme.takes(event("x", "other"))).isFalse();
        assertThat(acme.takes(event("x", null))).isFalse();
    }

    @Test
    void isNamedWithoutWhatMayBeSecret() {
        assertThat(endpoint().build().toString()).isEqualTo("crm (hooks.example)");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        refused(builder -> builder.timeout(Duration.ZERO), "timeout");
        refused(builder -> builder.timeout(Duration.ofMinutes(2)), "timeout");
        refused(builder -> builder.ratePerSecond(0), "ratePerSecond");
        refused(builder -> builder.ratePerSecond(Double.NaN), "ratePerSecond");
        refused(builder -> builder.concurrency(0), "concurrency");
        refused(builder -> builder.circuitBreaker(0, Duration.ofSeconds(1)), "failures");
        refused(builder -> builder.eventTypes(" "), "blank");
        refused(WebhookEndpoint.Builder::secrets, "at least one secret");
        refused(builder -> builder.header("webhook-id", "1"), "webhook-id");
        refused(builder -> builder.header("Host", "example.com"), "Host");
        refused(builder -> builder.header("a b", "1"), "a b");
        refused(builder -> builder.header("x", "a\r\nb"), "");
        refused(builder -> builder.forwardHeaders("proxy-authorization"), "proxy-authorization");
        refused(builder -> builder.cloudEventsSource(URL).build(), "cloudEventsSource");
        assertThatThrownBy(() -> WebhookEndpoint.builder("crm", URL).build()).hasMessageContaining("secrets");
        assertThatThrownBy(() -> WebhookEndpoint.builder(" ", URL)).hasMessageContaining("name");
    }

    private static void refused(Consumer<WebhookEndpoint.Builder> step, String message) {
        assertThatThrownBy(() -> step.accept(endpoint()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
