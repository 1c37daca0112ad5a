package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.listener.ControlledListener;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.BreakerState;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryRow;
import outbox.testing.InMemoryTxContext;

/** The publisher under the engine: what a receiver answers is what becomes of the row. */
class WebhookDeliveryTest {
    private final Receiver receiver = Receiver.tls();
    private final WebhookClient client = TestClient.builder().build();
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final InMemoryTxContext transactions = store.txContext();

    @AfterEach
    void close() {
        client.close();
        receiver.close();
    }

    private Outbox outbox(ControlledListener listener) {
        return Outbox.singleNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(transactions)
                .listeners(new DefaultListenerRegistry().register("Order", "order.placed", listener))
                .retryPolicy(attempts -> 60_000)
                .build()
                .start();
    }

    private String write(Outbox outbox) {
        EventEnvelope event = TestClient.event();
        transactions.inTransaction(() -> outbox.writer().write(event));
        return event.eventId();
    }

    private InMemoryRow settled(String eventId, EventStatus status) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(store.row(eventId).status()).isEqualTo(status));
        return store.row(eventId);
    }

    private WebhookEndpoint.Builder endpoint() {
        return TestClient.endpoint(receiver);
    }

    private ControlledListener listener(WebhookEndpoint.Builder endpoint) {
        return client.publisher(endpoint.build()).controlled().build();
    }

    @Test
    void anAcceptedEventIsDone() {
        try (Outbox outbox = outbox(listener(endpoint()))) {
            settled(write(outbox), EventStatus.DONE);
        }
        assertThat(receiver.received()).hasSize(1);
    }

    @Test
    void retryAfterSetsTheTimeOfTheNextAttempt() {
        receiver.answering(Receiver.status(429, "retry-after", "3600"));
        try (Outbox outbox = outbox(listener(endpoint()))) {
            InMemoryRow row = settled(write(outbox), EventStatus.RETRY);
            assertThat(Duration.between(row.event().createdAt(), row.availableAt()))
                    .isBetween(Duration.ofMinutes(59), Duration.ofHours(2));
            assertThat(row.lastError()).contains("answered 429");
        }
    }

    @Test
    void anEndpointThatIsGoneMakesItsEventsDeadAtOnceWithTheCause() {
        receiver.answering(Receiver.status(410));
        try (Outbox outbox = outbox(listener(endpoint()))) {
            assertThat(settled(write(outbox), EventStatus.DEAD).lastError()).contains("410");
            assertThat(settled(write(outbox), EventStatus.DEAD).lastError()).contains("disabled");
        }
        assertThat(receiver.received()).hasSize(1);
    }

    @Test
    void aFailingEndpointIsLeftAloneAndItsEventsWaitWithoutAnAttempt() {
        receiver.answering(Receiver.status(500));
        ControlledListener listener = listener(endpoint().circuitBreaker(2, Duration.ofMinutes(5)));
        try (Outbox outbox = outbox(listener)) {
            settled(write(outbox), EventStatus.RETRY);
            settled(write(outbox), EventStatus.RETRY);
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(listener.breakerState()).isEqualTo(BreakerState.OPEN));
            String waiting = write(outbox);
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(
                            () -> assertThat(store.row(waiting).lockedBy()).isNull());
            assertThat(store.row(waiting).status()).isEqualTo(EventStatus.NEW);
            assertThat(store.row(waiting).event().attempts()).isZero();
        }
        assertThat(receiver.received()).hasSize(2);
    }

    @Test
    void noMoreRequestsAreInFlightThanTheEndpointAllows() throws Exception {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch full = new CountDownLatch(3);
        receiver.answering(exchange -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            full.countDown();
            try {
                full.await(60, TimeUnit.SECONDS); // until as many are here as may be
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            now.decrementAndGet();
            exchange.sendResponseHeaders(204, -1);
        });
        try (Outbox outbox = outbox(listener(endpoint().concurrency(3)))) {
            for (int i = 0; i < 30; i++) {
                write(outbox);
            }
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThat(store.count(EventStatus.DONE)).isEqualTo(30));
        }
        assertThat(most).hasValue(3);
    }
}
