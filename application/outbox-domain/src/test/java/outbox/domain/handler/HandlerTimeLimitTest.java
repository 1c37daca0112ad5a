package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.HandlerFixture.RowOutcome;
import outbox.domain.sample.OrderPlaced;

/** A handler that does not return stops neither other handlers nor other events. */
@Timeout(120)
class HandlerTimeLimitTest {
    private static final HandlerOptions SHORT = HandlerOptions.DEFAULT
            .timeLimit(Duration.ofMillis(100))
            .retry(new RetryRule(attempts -> 0, 2))
            .concurrency(1);

    private final HandlerFixture fixture = new HandlerFixture();
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private EventHandlers handlers;

    @AfterEach
    void close() {
        end.countDown();
        handlers.close();
    }

    private void build(EventHandlersBuilder builder) {
        handlers = builder.serializer(fixture.serializer).build();
    }

    private EventHandlersBuilder hungAndFast() {
        return EventHandlers.builder()
                .tracker(fixture.tracker)
                .handler("hung", OrderPlaced.class, SHORT, (event, envelope) -> {
                    calls.add("hung");
                    awaitEnd();
                })
                .handler("fast", OrderPlaced.class, HandlerOptions.DEFAULT, (event, envelope) -> calls.add("fast"));
    }

    /** Ignores interruption. */
    private void awaitEnd() {
        while (end.getCount() > 0) {
            try {
                end.await();
            } catch (InterruptedException e) {
                // again
            }
        }
    }

    private EventEnvelope event() {
        return fixture.envelope(new OrderPlaced("o-1", 1));
    }

    @Test
    void aHungHandlerIsDeadAfterItsAttemptsAndTheOthersAreDone() {
        build(hungAndFast());
        EventEnvelope event = event();

        assertThat(fixture.deliver(handlers, event))
                .isInstanceOfSatisfying(
                        RowOutcome.Retry.class,
                        retry -> assertThat(retry.error())
                                .contains("handler 'hung' failed, attempt 1 of 2", "time limit is PT0.1S"));
        assertThat(fixture.progress(event, "fast").state()).isEqualTo(HandlerState.DONE);
        assertThat(fixture.deliver(handlers, event)).isInstanceOf(RowOutcome.Dead.class);

        assertThat(calls).containsExactlyInAnyOrder("hung", "fast", "hung");
        assertThat(fixture.progress(event, "hung"))
                .satisfies(progress -> assertThat(progress.state()).isEqualTo(HandlerState.DEAD))
                .satisfies(progress -> assertThat(progress.attempts()).isEqualTo(2))
                .satisfies(progress ->
                        assertThat(progress.lastError()).contains("DeliveryTimeoutException", "CountDownLatch.await"));
    }

    @Test
    void whatAHungHandlerDoesLaterIsIgnored() {
        build(hungAndFast());
        EventEnvelope event = event();
        fixture.deliver(handlers, event);

        end.countDown();
        await().until(() -> handlers.handlers().stream().allMatch(info -> info.running() == 0 && info.waiting() == 0));
        assertThat(fixture.progress(event, "hung").state()).isEqualTo(HandlerState.RETRY);
        assertThat(handlers.handlers())
                .filteredOn(info -> info.name().equals("hung"))
                .singleElement()
                .satisfies(info -> assertThat(info.failed()).isEqualTo(1))
                .satisfies(info -> assertThat(info.delivered()).isZero());
    }

    @Test
    void theNextEventsHaveTheirTurnThoughAllPlacesHang() {
        AtomicInteger hang = new AtomicInteger(3);
        build(EventHandlers.builder()
                .tracker(fixture.tracker)
                .handler("some", OrderPlaced.class, SHORT, (event, envelope) -> {
                    if (hang.getAndDecrement() > 0) {
                        awaitEnd();
                    }
                }));
        List<CompletableFuture<RowOutcome>> outcomes = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 4; i++) {
            EventEnvelope event = event();
            outcomes.add(CompletableFuture.supplyAsync(() -> fixture.deliver(handlers, event)));
        }

        assertThat(outcomes.stream().map(CompletableFuture::join))
                .filteredOn(outcome -> outcome instanceof RowOutcome.Done)
                .hasSize(1);
    }

    @Test
    void aRouteWhoseStageNeverCompletesIsAFailedAttempt() {
        CompletableFuture<Void> never = new CompletableFuture<>();
        build(EventHandlers.builder()
                .tracker(fixture.tracker)
                .route(EventRoute.to("broker", (AsyncEventListener) event -> never)
                        .options(options -> SHORT)));

        assertThat(fixture.deliver(handlers, event()))
                .isInstanceOfSatisfying(
                        RowOutcome.Retry.class,
                        retry -> assertThat(retry.error()).contains("time limit is PT0.1S"));
        await().until(never::isCancelled);
    }

    /** Says it could take part in a transaction; here the work is all there is of one. */
    private record Transactions(InMemoryConsumptionTracker tracker)
            implements EventConsumptionTracker, TransactionRunner {
        @Override
        public boolean isTransactional() {
            return true;
        }

        @Override
        public boolean consume(String eventId, String handler) {
            return true;
        }

        @Override
        public <T extends @Nullable Object> T run(TxMode mode, Work<T> work) throws Exception {
            return work.run();
        }

        @Override
        public List<HandlerProgress> progressOf(String eventId) {
            return tracker.progressOf(eventId);
        }

        @Override
        public void record(Collection<HandlerOutcome> outcomes) {
            tracker.record(outcomes);
        }

        @Override
        public void reset(String eventId, String handler) {
            tracker.reset(eventId, handler);
        }

        @Override
        public Set<String> openHandlers() {
            return tracker.openHandlers();
        }
    }

    private EventHandlersBuilder transactional(
            Transactions transactions, EventHandlersBuilder.HandlerFunction<OrderPlaced> work) {
        return EventHandlers.builder()
                .tracker(transactions)
                .transactions(transactions)
                .handler("tx", OrderPlaced.class, SHORT.transactional(), work);
    }

    @Test
    void aTransactionThatCanBeInterruptedFailsWithItsTimeLimit() {
        build(transactional(new Transactions(fixture.tracker), (event, envelope) -> end.await()));

        assertThat(fixture.deliver(handlers, event()))
                .isInstanceOfSatisfying(
                        RowOutcome.Retry.class,
                        retry -> assertThat(retry.error()).contains("time limit is PT0.1S"));
    }

    @Test
    void aTransactionThatDoesNotEndIsAFailedAttemptToo() {
        Transactions transactions = new Transactions(fixture.tracker);
        build(transactional(transactions, (event, envelope) -> awaitEnd()));
        EventEnvelope event = event();

        assertThat(fixture.deliver(handlers, event))
                .isInstanceOfSatisfying(
                        RowOutcome.Retry.class,
                        retry -> assertThat(retry.error()).contains("time limit is PT0.1S"));
        await().until(() -> !transactions.progressOf(event.eventId()).isEmpty());
        assertThat(transactions.progressOf(event.eventId()).get(0).attempts()).isEqualTo(1);
    }

    static class Annotated {
        @EventHandler(timeLimitSeconds = 3)
        void on(OrderPlaced event) {}
    }

    static class Negative {
        @EventHandler(timeLimitSeconds = -3)
        void on(OrderPlaced event) {}
    }

    @Test
    void theAnnotationSetsTheLimit() {
        HandlerDefinition definition = HandlerScanner.scan(new Annotated(), Annotated.class, HandlerMark.EVENT_HANDLER)
                .get(0);
        assertThat(definition.options().timeLimit()).isEqualTo(Duration.ofSeconds(3));
        handlers = EventHandlers.builder().serializer(fixture.serializer).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventHandlers.scan(new Negative()))
                .withMessageContaining("timeLimit must not be negative: PT-3S");
    }
}
