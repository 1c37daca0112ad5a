package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.domain.DomainEventContext;
import outbox.domain.sample.OrderPlaced;
import outbox.listener.ControlledListener;
import outbox.listener.CountingListener;
import outbox.model.EventStatus;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;

/** What is read and written of an event that nothing is stored about. */
@DisplayName("T3 progress of handlers is read and written only when there is something to remember")
@Timeout(120)
class FirstPassTest {
    private final HandlerFixture fixture = new HandlerFixture();
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final InMemoryTxContext tx = store.txContext();
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final List<String> read = Collections.synchronizedList(new ArrayList<>());
    private final List<HandlerOutcome> written = Collections.synchronizedList(new ArrayList<>());
    private final EventEnvelope event = fixture.envelope(new OrderPlaced("42", 100));
    private EventHandlers handlers;
    private Outbox outbox;

    private final EventConsumptionTracker tracker = new EventConsumptionTracker() {
        @Override
        public List<HandlerProgress> progressOf(String eventId) {
            read.add(eventId);
            return fixture.tracker.progressOf(eventId);
        }

        @Override
        public void record(Collection<HandlerOutcome> outcomes) {
            written.addAll(outcomes);
            fixture.tracker.record(outcomes);
        }

        @Override
        public void reset(String eventId, String handler) {
            fixture.tracker.reset(eventId, handler);
        }

        @Override
        public Set<String> openHandlers() {
            return fixture.tracker.openHandlers();
        }
    };

    @AfterEach
    void close() {
        if (outbox != null) {
            outbox.close();
        }
        handlers.close();
    }

    private EventHandlersBuilder handler(String name, EventHandlersBuilder.HandlerFunction<OrderPlaced> function) {
        return EventHandlers.builder()
                .serializer(fixture.serializer)
                .tracker(tracker)
                .defaultRetry(new RetryRule(attempts -> 0, 5))
                .handler(name, OrderPlaced.class, HandlerOptions.DEFAULT, function)
                .handler(
                        "stock", OrderPlaced.class, HandlerOptions.DEFAULT, (happened, envelope) -> calls.add("stock"));
    }

    private List<HandlerState> states(String handler) {
        return fixture.tracker.progressOf(event.eventId()).stream()
                .filter(progress -> progress.handler().equals(handler))
                .map(HandlerProgress::state)
                .toList();
    }

    /** As a dispatcher does. */
    private CompletableFuture<?> deliver() {
        ControlledListener listener =
                (ControlledListener) handlers.listenerFor(event.aggregateType(), event.eventType());
        try {
            return ((AsyncEventListener) listener.listener())
                    .onEventAsync(event)
                    .toCompletableFuture();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aPassInWhichAllSucceedWritesNothing() {
        handlers = handler("mail", (happened, envelope) -> calls.add("mail")).build();

        deliver().join();

        assertThat(calls).containsExactlyInAnyOrder("mail", "stock");
        assertThat(written).isEmpty();
    }

    @Test
    void whatSucceededIsStoredBeforeAFailureLetsTheRowComeBack() {
        CountDownLatch stock = new CountDownLatch(1);
        handlers = handler("mail", (happened, envelope) -> {
                    stock.await();
                    throw new IllegalStateException("smtp down");
                })
                .interceptor(call -> {
                    call.proceed();
                    if (call.handler().equals("stock")) {
                        stock.countDown();
                    }
                })
                .build();

        assertThat(deliver().handle((done, failure) -> failure).join()).isNotNull();

        assertThat(states("stock")).containsExactly(HandlerState.DONE);
        assertThat(states("mail")).containsExactly(HandlerState.RETRY);
    }

    /** No attempt is counted, so the row itself says nothing of what happened. */
    @Test
    void whatSucceededIsStoredIfAnotherHandlerIsPaused() {
        handlers = handler("mail", (happened, envelope) -> calls.add("mail")).build();
        handlers.setPaused("mail", true);

        assertThat(deliver().handle((done, failure) -> failure).join()).isNotNull();

        assertThat(states("stock")).containsExactly(HandlerState.DONE);
        handlers.setPaused("mail", false);
        deliver().join();
        assertThat(calls).containsExactly("stock", "mail");
    }

    @Test
    void whatSucceededIsStoredIfAnotherHandlerCouldNotBegin() {
        handlers = handler("mail", (happened, envelope) -> {
                    throw new NotNowException(Duration.ofMillis(1), "later");
                })
                .build();

        assertThat(deliver().handle((done, failure) -> failure).join()).isNotNull();

        assertThat(states("stock")).containsExactly(HandlerState.DONE);
    }

    /** The process may end while the other one runs. */
    @Test
    void whatSucceededIsStoredIfAnotherHandlerTakesLong() {
        CountDownLatch end = new CountDownLatch(1);
        handlers = handler("mail", (happened, envelope) -> end.await()).build();

        CompletableFuture<?> delivery = deliver();

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(states("stock")).containsExactly(HandlerState.DONE));
        assertThat(delivery).isNotDone();
        end.countDown();
        delivery.join();
    }

    @Test
    void oncePartOfItIsStoredEverySuccessIs() {
        fixture.tracker.record(List.of(
                new HandlerOutcome(event.eventId(), "mail", HandlerState.RETRY, 1, Duration.ZERO, "smtp down")));
        handlers = handler("mail", (happened, envelope) -> calls.add("mail")).build();

        deliver().join();

        assertThat(states("mail")).as("else it looked open for ever").containsExactly(HandlerState.DONE);
        assertThat(states("stock")).containsExactly(HandlerState.DONE);
    }

    @Test
    void aSuspectEventIsReadAndItsSuccessesAreStored() {
        handlers = handler("mail", (happened, envelope) -> calls.add("mail")).build();
        ControlledListener listener =
                (ControlledListener) handlers.listenerFor(event.aggregateType(), event.eventType());

        ((CountingListener) listener.listener())
                .onSuspectAsync(event)
                .toCompletableFuture()
                .join();

        assertThat(read).containsExactly(event.eventId());
        assertThat(states("mail")).containsExactly(HandlerState.DONE);
        assertThat(states("stock")).containsExactly(HandlerState.DONE);
    }

    /** Several passes wait while one batch is read, and are the next one. */
    @Test
    void progressIsReadInBatches() throws InterruptedException {
        CountDownLatch first = new CountDownLatch(1);
        List<Integer> batches = Collections.synchronizedList(new ArrayList<>());
        ProgressReader reader = new ProgressReader(
                ids -> {
                    batches.add(ids.size());
                    if (batches.size() == 1) {
                        await().atMost(Duration.ofMinutes(1)).until(() -> first.getCount() == 0);
                    }
                    return Map.of();
                },
                task -> new Thread(task).start());
        handlers = handler("mail", (happened, envelope) -> calls.add("mail")).build();
        List<CompletableFuture<?>> answers = new ArrayList<>();
        answers.add(reader.progressOf("e-0").toCompletableFuture());
        await().until(() -> batches.size() == 1);
        for (int i = 1; i <= 20; i++) {
            answers.add(reader.progressOf("e-" + i).toCompletableFuture());
        }
        first.countDown();

        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
        assertThat(batches).containsExactly(1, 20);
    }

    // ---- behind the engine ----------------------------------------------------------------------------------------

    private String publish() {
        outbox = Outbox.multiNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .listeners(handlers)
                .pollInterval(Duration.ofMillis(20))
                .build()
                .start();
        EventEnvelope written =
                fixture.envelopes.envelope(new OrderPlaced("42", 100), DomainEventContext.of("Order", "42"));
        tx.inTransaction(() -> outbox.writer().write(written));
        return written.eventId();
    }

    private void awaitDone(String id) {
        await().atMost(Duration.ofMinutes(1)).until(() -> store.row(id).status() == EventStatus.DONE);
    }

    @Test
    void theFirstDeliveryAfterTheCommitIsNotRead() {
        handlers = handler("mail", (happened, envelope) -> calls.add("mail")).build();

        awaitDone(publish());

        assertThat(read).isEmpty();
        assertThat(written).isEmpty();
        assertThat(calls).containsExactlyInAnyOrder("mail", "stock");
    }

    @Test
    void theSecondDeliveryIsReadAndCallsOnlyWhatIsOpen() {
        handlers = handler("mail", (happened, envelope) -> {
                    calls.add("mail");
                    if (Collections.frequency(calls, "mail") == 1) {
                        throw new IllegalStateException("smtp down");
                    }
                })
                .build();

        String id = publish();
        awaitDone(id);

        assertThat(read).containsExactly(id);
        assertThat(calls).containsExactlyInAnyOrder("mail", "stock", "mail");
    }

    /** Not an attempt of the row: it looks like one that was never delivered. */
    @Test
    void aRowWithoutAttemptsFromTheTableIsRead() {
        handlers = handler("mail", (happened, envelope) -> calls.add("mail")).build();
        handlers.setPaused("mail", true);
        String id = publish();
        await().atMost(Duration.ofMinutes(1)).until(() -> calls.contains("stock"));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> !fixture.tracker.progressOf(id).isEmpty());

        handlers.setPaused("mail", false);
        awaitDone(id);

        assertThat(calls).containsExactly("stock", "mail");
        assertThat(store.row(id).event().attempts()).isZero();
    }
}
