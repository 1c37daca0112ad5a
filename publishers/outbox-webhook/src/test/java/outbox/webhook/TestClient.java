package outbox.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import outbox.EventEnvelope;

/** Clients that may reach receivers on the loopback interface, under the name {@code hooks.test}. */
final class TestClient {
    static final WebhookSecret SECRET = WebhookSecret.ofBytes("a secret for tests, not for use".getBytes());

    private TestClient() {}

    static WebhookClient.Builder builder() {
        return WebhookClient.builder()
                .allowHttp()
                .allowAddresses("127.0.0.1/32")
                .connectTimeout(Duration.ofSeconds(20))
                .sslContext(TestCertificate.sslContext())
                .resolver(TestClient::resolve);
    }

    static InetAddress[] resolve(String host) throws UnknownHostException {
        if (host.equals("hooks.test")) {
            return new InetAddress[] {InetAddress.getByName("127.0.0.1")};
        }
        throw new UnknownHostException(host);
    }

    static WebhookEndpoint.Builder endpoint(Receiver receiver) {
        return WebhookEndpoint.builder("test", receiver.url()).secrets(SECRET);
    }

    static EventEnvelope event() {
        return EventEnvelope.builder("order.placed")
                .aggregateType("Order")
                .aggregateId("42")
                .payloadJson("{\"total\":100}")
                .build();
    }

    /** Waits for the outcome. @return what failed, without wrappers, or {@code null} */
    static Throwable outcome(WebhookPublisher publisher, EventEnvelope event) {
        try {
            CompletionStage<?> stage = publisher.onEventAsync(event);
            stage.toCompletableFuture().join();
            return null;
        } catch (CompletionException e) {
            return e.getCause();
        } catch (RuntimeException e) {
            return e;
        }
    }
}
