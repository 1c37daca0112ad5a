package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.BatchFailedException;
import outbox.EventEnvelope;
import outbox.domain.handler.HandlerFixture.RowOutcome;
import outbox.domain.sample.OrderPlaced;
import outbox.listener.ControlledListener;
import outbox.listener.RetryPreset;

@DisplayName("W2, W3 publishers beside handlers, each with its own progress")
class EventRouteTest {
    private final HandlerFixture fixture = new HandlerFixture();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Exception brokerFailure;

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    class Mailer {
        @EventHandler(name = "mail")
        void mail(OrderPlaced event) {
            calls.add("mail");
        }
    }

    private void broker(EventEnvelope event) throws Exception {
        calls.add("broker " + event.eventType());
        if (brokerFailure != null) {
            throw brokerFailure;
        }
    }

    private static EventEnvelope envelope(String type) {
        return EventEnvelope.builder(type).payloadJson("{}").build();
    }

    @Test
    void aRouteTakesEventsBesideTheirHandlersAndIsRetriedAlone() {
        EventHandlers handlers = fixture.handlers(new Mailer())
                .route(EventRoute.to("broker", this::broker).eventTypes("order.*"))
                .build();
        EventEnvelope event = fixture.envelope(new OrderPlaced("1", 1));
        brokerFailure = new IllegalStateException("broker away");

        assertThat(fixture.deliver(handlers, event)).isInstanceOf(RowOutcome.Retry.class);
        brokerFailure = null;
        fixture.clock.advance(Duration.ofMinutes(2));
        assertThat(fixture.deliver(handlers, event)).isEqualTo(new RowOutcome.Done());

        assertThat(calls).containsExactly("mail", "broker order.placed", "broker order.placed");
        assertThat(fixture.progress(event, "mail").attempts()).isEqualTo(1);
        assertThat(fixture.progress(event, "broker").attempts()).isEqualTo(2);
    }

    @Test
    void itTakesTypesThatHaveNoClassHere() {
        EventHandlers handlers = fixture.handlers(new Mailer())
                .route(EventRoute.to("broker", this::broker).eventTypes("order.*"))
                .build();

        assertThat(fixture.deliver(handlers, envelope("order.shipped"))).isEqualTo(new RowOutcome.Done());

        assertThat(calls).containsExactly("broker order.shipped");
        assertThatThrownBy(() -> fixture.deliver(handlers, envelope("customer.moved")))
                .cause()
                .hasMessageContaining("no class is registered for event type 'customer.moved'");
    }

    @Test
    void theRulesOfAPublisherAreThoseOfItsRoute() {
        ControlledListener publisher = ControlledListener.of(this::broker)
                .retry(RetryPreset.OUTBOUND)
                .deadOn(IllegalArgumentException.class)
                .concurrency(7)
                .build();
        EventHandlers handlers = fixture.handlers(new Mailer())
                .route(EventRoute.to("broker", publisher))
                .build();
        brokerFailure = new IllegalArgumentException("too large");

        assertThat(fixture.deliver(handlers, fixture.envelope(new OrderPlaced("1", 1))))
                .isInstanceOf(RowOutcome.Dead.class);
        assertThat(handlers.handlers())
                .filteredOn(info -> info.name().equals("broker"))
                .singleElement()
                .satisfies(info -> {
                    assertThat(info.concurrency()).isEqualTo(7);
                    assertThat(info.retry().maxAttempts()).isEqualTo(RetryPreset.OUTBOUND.maxAttempts());
                    assertThat(info.eventTypes()).containsExactly("*");
                });
    }

    @Test
    void routesThatShareAnEventNeedATracker() {
        EventHandlersBuilder both = EventHandlers.builder()
                .serializer(fixture.serializer)
                .route(EventRoute.to("kafka", this::broker).eventTypes("order.*"))
                .route(EventRoute.to("hook", this::broker).eventTypes("*.placed"));
        assertThat(both.needsTracker()).isTrue();
        assertThatThrownBy(both::build)
                .hasMessageContaining("routes 'kafka' and 'hook' can match the same event")
                .hasMessageContaining("tracker");

        EventHandlersBuilder apart = EventHandlers.builder()
                .serializer(fixture.serializer)
                .route(EventRoute.to("kafka", this::broker).eventTypes("order.*"))
                .route(EventRoute.to("hook", this::broker).eventTypes("payment.*"));
        assertThat(apart.needsTracker()).isFalse();
        try (EventHandlers handlers = apart.build()) {
            assertThat(fixture.deliver(handlers, envelope("payment.taken"))).isEqualTo(new RowOutcome.Done());
        }
    }

    @Test
    void aTransactionalRouteIsRefused() {
        assertThatThrownBy(() -> fixture.handlers(new Mailer())
                        .route(EventRoute.to("broker", this::broker).options(HandlerOptions::transactional))
                        .build())
                .hasMessageContaining("route 'broker' cannot be transactional");
    }

    /** Answers when the test says so. */
    private static final class Slow implements AsyncEventListener {
        private final ConcurrentLinkedQueue<CompletableFuture<String>> inFlight = new ConcurrentLinkedQueue<>();
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger beginning = new AtomicInteger();
        private volatile boolean severalAtOnce;

        @Override
        public CompletionStage<?> onEventAsync(EventEnvelope event) {
            severalAtOnce |= beginning.incrementAndGet() > 1;
            CompletableFuture<String> answer = new CompletableFuture<>();
            inFlight.add(answer);
            begun.incrementAndGet();
            beginning.decrementAndGet();
            return answer;
        }
    }

    @Test
    void manyAreInFlightOnOneThreadUpToTheLimit() {
        Slow slow = new Slow();
        EventHandlers handlers = EventHandlers.scan(new Mailer())
                .serializer(fixture.serializer)
                .tracker(fixture.tracker)
                .route(EventRoute.to("broker", slow).options(options -> options.concurrency(20)))
                .build();
        List<CompletableFuture<RowOutcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            EventEnvelope event = fixture.envelope(new OrderPlaced("o-" + i, i));
            outcomes.add(CompletableFuture.supplyAsync(() -> fixture.deliver(handlers, event), threads));
        }

        await().atMost(Duration.ofMinutes(1)).until(() -> slow.inFlight.size() == 20);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> handlers.handlers().stream()
                                .mapToInt(EventHandlers.HandlerInfo::waiting)
                                .sum()
                        == 30);
        slow.inFlight.remove().completeExceptionally(new IllegalStateException("lost"));
        await().atMost(Duration.ofMinutes(1)).until(() -> slow.inFlight.size() == 20);
        for (int done = 0; done < 49; done++) {
            await().atMost(Duration.ofMinutes(1)).until(() -> !slow.inFlight.isEmpty());
            slow.inFlight.remove().complete("sent");
        }

        CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new)).join();
        assertThat(outcomes.stream().map(CompletableFuture::join))
                .filteredOn(outcome -> outcome instanceof RowOutcome.Retry)
                .hasSize(1);
        assertThat(slow.begun).hasValue(50);
        assertThat(slow.severalAtOnce).isFalse();
        handlers.close();
    }

    @Test
    void withoutATrackerAnAnswerIsTheRowsOutcome() {
        AsyncEventListener answering = event -> CompletableFuture.failedFuture(new IllegalStateException("not now"));
        try (EventHandlers handlers = EventHandlers.builder()
                .serializer(fixture.serializer)
                .route(EventRoute.to("broker", answering))
                .build()) {
            EventEnvelope event = envelope("order.placed");
            assertThatThrownBy(() -> handlers.listenerFor(event.aggregateType(), event.eventType())
                            .onEvent(event))
                    .hasMessage("not now");
        }
    }

    private final class Batches implements BatchEventListener {
        @Override
        public void onEvents(List<EventEnvelope> events) throws BatchFailedException {
            calls.add("batch of " + events.size());
        }
    }

    @Test
    void aBatchListenerGetsBatches() {
        EventHandlers handlers = fixture.handlers(new Mailer())
                .route(EventRoute.to("broker", new Batches()))
                .build();

        assertThat(fixture.deliver(handlers, envelope("order.shipped"))).isEqualTo(new RowOutcome.Done());

        assertThat(calls).containsExactly("batch of 1");
        assertThat(handlers.handlers())
                .filteredOn(info -> info.name().equals("broker"))
                .singleElement()
                .extracting(EventHandlers.HandlerInfo::maxBatch)
                .isEqualTo(100);
    }
}
