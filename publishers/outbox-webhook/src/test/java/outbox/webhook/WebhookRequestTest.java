package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.Redelivery;
import outbox.testing.ManualClock;
import outbox.webhook.Receiver.Received;

/** What a receiver sees, over real TLS connections. */
class WebhookRequestTest {
    private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private final ManualClock clock = new ManualClock();
    private final Receiver receiver = Receiver.tls();
    private final WebhookClient client = TestClient.builder().clock(clock).build();

    @AfterEach
    void close() {
        client.close();
        receiver.close();
    }

    private Received send(WebhookEndpoint.Builder endpoint, EventEnvelope event) {
        assertThat(TestClient.outcome(client.publisher(endpoint.build()), event))
                .isNull();
        return receiver.received().get(receiver.received().size() - 1);
    }

    private static EventEnvelope.Builder event() {
        return EventEnvelope.builder("order.placed")
                .aggregateType("Order")
                .aggregateId("42")
                .occurredAt(Instant.parse("2026-01-01T00:00:00.5Z"))
                .payloadJson("{\"total\":100}");
    }

    private static String text(Received received) {
        return new String(received.body(), StandardCharsets.UTF_8);
    }

    @Test
    void isAPostWithTheEventInsideTheRecommendedObject() {
        Received received = send(TestClient.endpoint(receiver), event().build());
        assertThat(received.method()).isEqualTo("POST");
        assertThat(received.uri()).hasToString("/in?key=abc");
        assertThat(received.header("Host")).isEqualTo("hooks.test:" + receiver.port());
        assertThat(received.header("Content-Type")).isEqualTo("application/json");
        assertThat(text(received))
                .isEqualTo(
                        "{\"type\":\"order.placed\",\"timestamp\":\"2026-01-01T00:00:00.500Z\",\"data\":{\"total\":100}}");
    }

    @Test
    void isSignedSoThatTheVerifierAcceptsIt() throws Exception {
        EventEnvelope event =
                event().payloadJson("{\"name\":\"Bücher \\\"x\\\"\"}").build();
        Received received = send(TestClient.endpoint(receiver), event);
        assertThat(WebhookVerifier.of(TestClient.SECRET).withClock(clock).verify(received::header, received.body()))
                .isEqualTo(event.eventId());
    }

    @Test
    void eachAttemptHasTheSameIdAndItsOwnTime() {
        EventEnvelope event = event().build();
        Received first = send(TestClient.endpoint(receiver), event);
        clock.advance(Duration.ofMinutes(7));
        Received second = send(TestClient.endpoint(receiver), event);
        assertThat(second.header("webhook-id"))
                .isEqualTo(first.header("webhook-id"))
                .isEqualTo(event.eventId());
        assertThat(Long.parseLong(second.header("webhook-timestamp")))
                .isEqualTo(Long.parseLong(first.header("webhook-timestamp")) + 7 * 60);
        assertThat(second.header("webhook-signature")).isNotEqualTo(first.header("webhook-signature"));
    }

    @Test
    void secretsChangeWhileTheEndpointIsInUse() throws Exception {
        WebhookSecret old = WebhookSecret.generate();
        WebhookSecret next = WebhookSecret.generate();
        List<WebhookSecret> current = new ArrayList<>(List.of(old));
        WebhookPublisher publisher = client.publisher(TestClient.endpoint(receiver)
                .secretSource(() -> List.copyOf(current))
                .build());
        WebhookVerifier oldReceiver = WebhookVerifier.of(old).withClock(clock);
        WebhookVerifier newReceiver = WebhookVerifier.of(next).withClock(clock);

        assertThat(TestClient.outcome(publisher, event().build())).isNull();
        current.add(0, next);
        assertThat(TestClient.outcome(publisher, event().build())).isNull();
        current.remove(old);
        assertThat(TestClient.outcome(publisher, event().build())).isNull();
        current.clear();
        assertThat(TestClient.outcome(publisher, event().build()))
                .hasMessageContaining("unsigned requests are not sent");

        List<Received> received = receiver.received();
        assertThat(received).hasSize(3);
        oldReceiver.verify(received.get(0)::header, received.get(0).body());
        oldReceiver.verify(received.get(1)::header, received.get(1).body());
        newReceiver.verify(received.get(1)::header, received.get(1).body());
        newReceiver.verify(received.get(2)::header, received.get(2).body());
        assertThat(received.get(1).header("webhook-signature").split(" ")).hasSize(2);
    }

    @Test
    void traceContextGoesAlongAndBrokenOneStays() {
        Received good = send(
                TestClient.endpoint(receiver),
                event().header("traceparent", PARENT)
                        .header("tracestate", "a=b")
                        .build());
        assertThat(good.header("traceparent")).isEqualTo(PARENT);
        assertThat(good.header("tracestate")).isEqualTo("a=b");
        Received bad = send(
                TestClient.endpoint(receiver),
                event().header("traceparent", "x\r\ny")
                        .header("tracestate", "a=b")
                        .build());
        assertThat(bad.header("traceparent")).isNull();
        assertThat(bad.header("tracestate")).isNull();
    }

    @Test
    void onlyHeadersThatWereNamedGoAlong() {
        Received received = send(
                TestClient.endpoint(receiver)
                        .header("Authorization", "Bearer for-tests")
                        .forwardHeaders("X-Request-Id", "x-broken"),
                event().header("x-request-id", "r-1")
                        .header("x-broken", "a\nb")
                        .header("operator", "somebody")
                        .build());
        assertThat(received.header("x-request-id")).isEqualTo("r-1");
        assertThat(received.header("authorization")).isEqualTo("Bearer for-tests");
        assertThat(received.headers()).doesNotContainKeys("X-broken", "Operator");
        assertThat(received.headers().keySet())
                .noneMatch(name -> name.toLowerCase().startsWith("proxy"));
    }

    @Test
    void aReceiverSeesThatAnEventIsARedelivery() {
        Received received = send(
                TestClient.endpoint(receiver),
                event().headers(Redelivery.headers("copy", "01ORIGINAL", "webhook-crm"))
                        .build());
        assertThat(received.header(Redelivery.OF)).isEqualTo("01ORIGINAL");
        assertThat(received.header(Redelivery.TO))
                .as("the names of handlers stay here")
                .isNull();
    }

    @Test
    void thePayloadCanGoAlone() {
        WebhookEndpoint.Builder endpoint = TestClient.endpoint(receiver).body(WebhookBody.PAYLOAD);
        assertThat(text(send(endpoint, event().build()))).isEqualTo("{\"total\":100}");
        Received bytes = send(
                endpoint,
                event().payloadJson(null).payloadBytes(new byte[] {0, 1, -1}).build());
        assertThat(bytes.header("Content-Type")).isEqualTo("application/octet-stream");
        assertThat(bytes.body()).containsExactly(0, 1, -1);
    }

    @Test
    void contentTypeAndSchemaOfTheEventGoAlong() {
        EventEnvelope avro = event().payloadJson(null)
                .payloadBytes(new byte[] {4, '4', '2'})
                .header(PayloadHeaders.CONTENT_TYPE, "application/avro")
                .header(PayloadHeaders.DATA_SCHEMA, "https://schemas.example/order/2")
                .build();
        WebhookEndpoint.Builder endpoint =
                TestClient.endpoint(receiver).cloudEventsSource(URI.create("https://shop.example/orders"));
        Received binary = send(endpoint.body(WebhookBody.CLOUDEVENTS_BINARY), avro);
        assertThat(binary.header("Content-Type")).isEqualTo("application/avro");
        assertThat(binary.header("ce-dataschema")).isEqualTo("https://schemas.example/order/2");
        assertThat(binary.body()).containsExactly(4, '4', '2');
        assertThat(text(send(endpoint.body(WebhookBody.CLOUDEVENTS_STRUCTURED), avro)))
                .contains("\"datacontenttype\":\"application/avro\"")
                .contains("\"dataschema\":\"https://schemas.example/order/2\"")
                .contains("\"data_base64\":\"BDQy\"");
    }

    @Test
    void cloudEventsInBinaryModeAreThePayloadAndHeaders() throws Exception {
        Received received = send(
                TestClient.endpoint(receiver)
                        .body(WebhookBody.CLOUDEVENTS_BINARY)
                        .cloudEventsSource(URI.create("https://shop.example/orders")),
                event().aggregateId("Bücher \"1%\"")
                        .header("traceparent", PARENT)
                        .build());
        assertThat(text(received)).isEqualTo("{\"total\":100}");
        assertThat(received.header("Content-Type")).isEqualTo("application/json");
        assertThat(received.header("ce-specversion")).isEqualTo("1.0");
        assertThat(received.header("ce-id")).isEqualTo(received.header("webhook-id"));
        assertThat(received.header("ce-source")).isEqualTo("https://shop.example/orders");
        assertThat(received.header("ce-type")).isEqualTo("order.placed");
        assertThat(received.header("ce-time")).isEqualTo("2026-01-01T00:00:00.500Z");
        assertThat(received.header("ce-subject")).isEqualTo("B%C3%BCcher%20%221%25%22");
        assertThat(received.header("ce-traceparent")).isEqualTo(PARENT);
        assertThat(received.headers()).doesNotContainKey("Ce-datacontenttype");
        WebhookVerifier.of(TestClient.SECRET).withClock(clock).verify(received::header, received.body());
    }

    @Test
    void cloudEventsInStructuredModeAreOneObject() throws Exception {
        EventEnvelope event = event().build();
        WebhookEndpoint.Builder endpoint = TestClient.endpoint(receiver).body(WebhookBody.CLOUDEVENTS_STRUCTURED);
        Received received = send(endpoint, event);
        assertThat(received.header("Content-Type")).startsWith("application/cloudevents+json");
        assertThat(text(received))
                .isEqualTo("{\"specversion\":\"1.0\",\"id\":\"" + event.eventId()
                        + "\",\"source\":\"urn:outbox:Order\",\"type\":\"order.placed\","
                        + "\"time\":\"2026-01-01T00:00:00.500Z\",\"subject\":\"42\","
                        + "\"datacontenttype\":\"application/json\",\"data\":{\"total\":100}}");
        WebhookVerifier.of(TestClient.SECRET).withClock(clock).verify(received::header, received.body());

        byte[] bytes = {'{', '}'}; // stays bytes, though it looks like JSON
        Received binary =
                send(endpoint, event().payloadJson(null).payloadBytes(bytes).build());
        assertThat(text(binary))
                .contains("\"datacontenttype\":\"application/octet-stream\"")
                .endsWith(",\"data_base64\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"}");
    }

    @Test
    void anIdThatCanNotBeSignedIsNeverSent() {
        WebhookPublisher publisher =
                client.publisher(TestClient.endpoint(receiver).build());
        assertThat(TestClient.outcome(publisher, event().eventId("a.1").build()))
                .isInstanceOf(UnsendableEventException.class);
        assertThat(receiver.received()).isEmpty();
    }
}
