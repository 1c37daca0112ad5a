package outbox.inbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.inbox.DurableInbox;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;
import outbox.webhook.WebhookBody;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookEndpoint;
import outbox.webhook.WebhookPublisher;
import outbox.webhook.WebhookSecret;
import outbox.webhook.WebhookVerifier;

/** The receiver behind a real HTTP server, with the publisher of {@code outbox-webhook} as sender. */
class WebhookReceiverTest {
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final WebhookSecret secret = WebhookSecret.generate();
    private final List<Integer> answers = new CopyOnWriteArrayList<>();
    private DurableInbox inbox;
    private WebhookReceiver receiver;
    private HttpServer server;

    @BeforeEach
    void serve() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", DurableInbox.DEFAULT_TABLE).apply(connection);
        }
        inbox = DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(new DefaultListenerRegistry().register("order.placed", event -> {}))
                .engine(engine -> engine.workerCount(0)) // rows stay as they were stored
                .build();
        receiver = WebhookReceiver.of(inbox, WebhookVerifier.of(secret)).withSource("shop");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/hook", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            WebhookAnswer answer =
                    receiver.receive(name -> exchange.getRequestHeaders().getFirst(name), body);
            answers.add(answer.status());
            byte[] text = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
        inbox.close();
    }

    private List<String> query(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return JdbcTemplate.query(connection, sql, JdbcTemplate.Binder.NOTHING, row -> row.getString(1));
        }
    }

    @ParameterizedTest
    @EnumSource(WebhookBody.class)
    void whatThePublisherSendsIsReceivedOnceInEveryFormat(WebhookBody format) throws Exception {
        receiver = receiver.withType("order.placed"); // of bodies that are the payload alone
        EventEnvelope event = EventEnvelope.builder("order.placed")
                .aggregateType("Order")
                .aggregateId("42")
                .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .payloadJson("{\"total\":1.50}")
                .build();
        try (WebhookClient client = WebhookClient.builder()
                .allowHttp()
                .allowAddresses("127.0.0.0/8", "::1/128")
                .build()) {
            WebhookPublisher publisher = client.publisher(WebhookEndpoint.builder(
                            "hook",
                            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/hook"))
                    .secrets(secret)
                    .body(format)
                    .build());
            for (int i = 0; i < 2; i++) {
                publisher.onEventAsync(event).toCompletableFuture().get(60, TimeUnit.SECONDS);
            }
        }

        assertThat(answers).containsExactly(202, 200);
        assertThat(query("SELECT event_id FROM inbox_event")).containsExactly(inbox.eventIdOf(event.eventId()));
        assertThat(query("SELECT event_type FROM inbox_event")).containsExactly("order.placed");
        assertThat(query("SELECT payload FROM inbox_event").get(0).replaceAll("\\s", ""))
                .isEqualTo("{\"total\":1.50}");
        assertThat(query("SELECT headers FROM inbox_event").get(0))
                .contains("0af7651916cd43dd8448eb211c80319c", "shop");
    }

    private WebhookAnswer post(Map<String, String> headers, String body) {
        return receiver.receive(headers::get, body.getBytes(StandardCharsets.UTF_8));
    }

    private Map<String, String> signed(String id, Instant at, String body) {
        return Map.of(
                "webhook-id",
                id,
                "webhook-timestamp",
                Long.toString(at.getEpochSecond()),
                "webhook-signature",
                secret.sign(id, at, body.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void whatIsNotAuthenticIsRefusedAndNotStored() throws Exception {
        Instant now = Instant.now();
        assertThat(post(Map.of(), "{}").status()).isEqualTo(401);
        assertThat(post(signed("m-1", now, "{}"), "{ }").status()).isEqualTo(401);
        assertThat(post(signed("m-1", now.minus(Duration.ofHours(1)), "{}"), "{}")
                        .status())
                .isEqualTo(401);
        assertThat(post(signed("m-1", now, "{}"), " ".repeat(WebhookReceiver.MAX_BODY_BYTES + 1))
                        .status())
                .isEqualTo(413);
        assertThat(query("SELECT event_id FROM inbox_event")).isEmpty();
        assertThat(post(signed("m-1", now, "{}"), "{}").status()).isEqualTo(202);
    }

    @Test
    void aSenderIsToldToComeAgainWhileTheDatabaseFailsOrTooManyMessagesWait() throws Exception {
        assertThat(post(signed("m-1", Instant.now(), "{}"), "{}").status()).isEqualTo(202);
        receiver = receiver.withMaxPending(1);
        WebhookAnswer full = post(signed("m-2", Instant.now(), "{}"), "{}");
        assertThat(full.status()).isEqualTo(503);
        assertThat(full.retryAfterSeconds()).isPositive();

        receiver = receiver.withMaxPending(10);
        try (Connection connection = dataSource.getConnection()) {
            JdbcTemplate.update(connection, "DROP TABLE inbox_event", JdbcTemplate.Binder.NOTHING);
        }
        assertThat(post(signed("m-2", Instant.now(), "{}"), "{}").status()).isEqualTo(503);
    }

    @Test
    void aCloudEventThatCannotBeReadIsStoredWithTheDefaultType() throws Exception {
        Map<String, String> headers = new java.util.HashMap<>(signed("m-1", Instant.now(), "no JSON"));
        headers.put("content-type", "application/cloudevents+json");

        assertThat(post(headers, "no JSON").status()).isEqualTo(202);
        assertThat(query("SELECT event_type FROM inbox_event")).containsExactly(WebhookReceiver.DEFAULT_TYPE);
    }
}
