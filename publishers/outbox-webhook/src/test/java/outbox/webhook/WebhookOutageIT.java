package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.listener.ControlledListener;
import outbox.testing.DrillArrivals;
import outbox.testing.OutageDrill;
import outbox.testing.server.FreePort;

/** A receiver that stalls and is started anew while events are on their way. */
class WebhookOutageIT {
    private static final int EVENTS = Integer.getInteger("outbox.test.outage.events", 6_000);
    private static final Duration PAUSE = Duration.ofSeconds(Integer.getInteger("outbox.test.outage.seconds", 8));

    private static final int CONCURRENCY = 64;

    private final DrillArrivals arrivals = new DrillArrivals();
    private volatile CountDownLatch running = new CountDownLatch(0);
    private Receiver receiver = Receiver.tlsOn("127.0.0.1", FreePort.find()).answering(this::receive);

    private void receive(HttpExchange exchange) throws IOException {
        try {
            if (!running.await(2 * PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("stalled");
            }
        } catch (InterruptedException e) {
            throw new IOException("stopped", e);
        }
        exchange.sendResponseHeaders(204, -1);
    }

    private void pause() {
        running = new CountDownLatch(1);
        sleep(PAUSE);
        running.countDown();
    }

    private void restart() {
        int port = receiver.port();
        receiver.close();
        sleep(Duration.ofSeconds(1));
        Receiver again = Receiver.tlsOn("127.0.0.1", port).answering(this::receive);
        again.received().addAll(0, receiver.received());
        receiver = again;
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void nothingIsLostOrOutOfOrderAndNoAttemptIsMadeWhileTheBreakerIsOpen() {
        try (WebhookClient client = TestClient.builder().build()) {
            ControlledListener publisher = client.publisher(TestClient.endpoint(receiver)
                            .body(WebhookBody.PAYLOAD)
                            .timeout(Duration.ofSeconds(1))
                            .concurrency(CONCURRENCY)
                            .circuitBreaker(10, Duration.ofMillis(500))
                            .build())
                    .controlled()
                    .retryPolicy(attempts -> 200)
                    .maxAttempts(1000)
                    .build();
            OutageDrill.Report report = new OutageDrill(publisher)
                    .events(EVENTS)
                    .keys(CONCURRENCY)
                    .incident(this::pause)
                    .incident(this::restart)
                    .run(PAUSE.plus(Duration.ofMinutes(6)));
            receiver.received().forEach(received -> arrivals.add(new String(received.body(), StandardCharsets.UTF_8)));
            assertThat(report.done()).isEqualTo(EVENTS);
            assertThat(arrivals.distinct()).isEqualTo(EVENTS);
            assertThat(arrivals.outOfOrder()).isEmpty();
            assertThat(report.openings()).isPositive();
            assertThat(report.leftAloneWhileOpen()).as(report.toString()).isTrue();
        }
    }
}
