package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.Redelivery;
import outbox.RetryAfterException;
import outbox.dispatch.CompletionMode;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventContext;
import outbox.domain.EventHeaders;
import outbox.domain.bus.LoggingTransport;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.publish.InMemoryEventPublisher;
import outbox.domain.publish.TransactionalEventPublisher;
import outbox.domain.sample.OrderCancelled;
import outbox.domain.sample.OrderPlaced;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.registry.ListenerRegistry;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryRow;
import outbox.testing.InMemoryTxContext;
import outbox.util.Ulid;

/** Handlers behind the real dispatcher and poller. */
class HandlersOnTheEngineTest {
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final InMemoryTxContext tx = store.txContext();
    private final PayloadSerializer serializer = PayloadSerializers.detect();
    private final InMemoryConsumptionTracker tracker = new InMemoryConsumptionTracker();
    private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failuresLeft = new AtomicInteger();
    private EventHandlers handlers;
    private Outbox outbox;

    @AfterEach
    void close() {
        outbox.close();
        handlers.close();
    }

    private void start(EventHandlersBuilder builder, CompletionMode mode) {
        handlers = builder.serializer(serializer)
                .defaultRetry(new RetryRule(attempts -> 1, 3))
                .build();
        outbox = Outbox.singleNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .listeners(handlers)
                .completionMode(mode)
                .pollInterval(Duration.ofMillis(20))
                .build()
                .start();
    }

    private String publish(DomainEvent event) {
        OutboxWriter writer = outbox.writer();
        TransactionalEventPublisher publisher = new TransactionalEventPublisher(
                writer, tx, new EventEnvelopes(EventTypes.builder().build(), serializer));
        tx.inTransaction(() -> publisher.publish(event));
        return event.eventId();
    }

    private InMemoryRow awaitStatus(String eventId, EventStatus status) {
        await().atMost(Duration.ofMinutes(1)).until(() -> store.row(eventId).status() == status);
        return store.row(eventId);
    }

    class Mailer {
        @EventHandler(name = "mail")
        void on(OrderPlaced event) {
            calls.add("mail");
            if (failuresLeft.getAndDecrement() > 0) {
                throw new IllegalStateException("smtp down");
            }
        }
    }

    class Stock {
        @EventHandler(name = "stock")
        void on(OrderPlaced event) {
            calls.add("stock");
        }
    }

    @Test
    @DisplayName("D5: a failed event is retried by itself")
    void aFailedEventIsRetriedByItself() {
        failuresLeft.set(2);
        start(EventHandlers.scan(new Mailer(), new Stock()).tracker(tracker), CompletionMode.MARK);

        String id = publish(new OrderPlaced("42", 100));

        InMemoryRow row = awaitStatus(id, EventStatus.DONE);
        assertThat(calls).filteredOn("mail"::equals).hasSize(3);
        assertThat(calls).filteredOn("stock"::equals).hasSize(1);
        assertThat(row.event().attempts()).isEqualTo(2);
        assertThat(row.lastError())
                .as("the root cause leads, whichever way it came")
                .startsWith("java.lang.IllegalStateException: smtp down\n")
                .doesNotContain("  at outbox.");
    }

    class Counting {
        @EventHandler(name = "counting")
        void on(OrderPlaced event, EventEnvelope envelope, @Attempt int attempt) {
            calls.add("attempt " + attempt + " of delivery " + envelope.attempt());
            if (failuresLeft.getAndDecrement() > 0) {
                throw new IllegalStateException("smtp down");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("D9: a handler sees which attempt it is, whether its progress is in the row or in the tracker")
    void aHandlerSeesWhichAttemptItIs(boolean tracked) {
        failuresLeft.set(2);
        EventHandlersBuilder builder = EventHandlers.scan(new Counting());
        start(tracked ? builder.tracker(tracker) : builder, CompletionMode.MARK);

        awaitStatus(publish(new OrderPlaced("42", 100)), EventStatus.DONE);

        assertThat(calls)
                .containsExactly("attempt 1 of delivery 1", "attempt 2 of delivery 2", "attempt 3 of delivery 3");
    }

    class LastChance {
        @EventHandler(name = "last-chance", maxAttempts = 2)
        void on(OrderPlaced event, EventEnvelope envelope, @LastAttempt boolean last) {
            calls.add(last + " " + envelope.isLastAttempt());
            throw new IllegalStateException("smtp down");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("D9: a handler sees its last attempt, by its own limit and not that of the dispatcher")
    void aHandlerSeesItsLastAttempt(boolean tracked) {
        EventHandlersBuilder builder = EventHandlers.scan(new LastChance());
        start(tracked ? builder.tracker(tracker) : builder, CompletionMode.MARK);

        awaitStatus(publish(new OrderPlaced("42", 100)), EventStatus.DEAD);

        assertThat(calls).containsExactly("false false", "true true");
    }

    class GivesUp {
        @EventHandler(name = "gives-up", maxAttempts = 1)
        void on(OrderPlaced event) {
            throw new IllegalStateException("smtp down");
        }
    }

    @Test
    void theErrorOfAHandlerThatGaveUpEarlierLeadsWithItsOwnCause() {
        failuresLeft.set(2);
        start(EventHandlers.scan(new Mailer(), new GivesUp()).tracker(tracker), CompletionMode.MARK);

        InMemoryRow row = awaitStatus(publish(new OrderPlaced("42", 100)), EventStatus.DEAD);

        assertThat(calls).filteredOn("mail"::equals).hasSize(3);
        assertThat(row.lastError())
                .startsWith("java.lang.IllegalStateException: smtp down\n")
                .contains("handler 'gives-up' is dead after attempt 1");
    }

    @Test
    @DisplayName("T6: dead after the limit, replayed by hand, and only the handler that gave up is called")
    void deadAfterTheLimitAndReplayedByHand() {
        failuresLeft.set(3);
        start(EventHandlers.scan(new Mailer(), new Stock()).tracker(tracker), CompletionMode.MARK);

        String id = publish(new OrderPlaced("42", 100));
        assertThat(awaitStatus(id, EventStatus.DEAD).lastError())
                .startsWith("java.lang.IllegalStateException: smtp down\n")
                .contains("attempt 3 of 3");

        calls.clear();
        assertThat(outbox.deadEvents().replay(id)).isTrue();
        awaitStatus(id, EventStatus.DONE);
        assertThat(calls).containsExactly("mail");
    }

    class Sulking {
        @EventHandler(name = "sulking")
        void on(OrderPlaced event) {
            if (failuresLeft.getAndDecrement() > 0) {
                throw new RetryAfterException(Duration.ofDays(1), "not today", null);
            }
            calls.add("sulking");
        }
    }

    @Test
    void aParkedEventThatIsReplayedDoesNotWaitForTheOldTimeOfItsHandlers() {
        failuresLeft.set(1);
        start(EventHandlers.scan(new Sulking(), new Stock()).tracker(tracker), CompletionMode.MARK);
        String id = publish(new OrderPlaced("42", 100));
        awaitStatus(id, EventStatus.RETRY);
        await().until(() -> store.row(id).lockedBy() == null);

        assertThat(outbox.deadEvents().park(id)).isTrue();
        assertThat(outbox.deadEvents().replay(id)).isTrue();

        awaitStatus(id, EventStatus.DONE);
        assertThat(calls).containsExactlyInAnyOrder("stock", "sulking");
    }

    class NotYet {
        @EventHandler
        void on(OrderPlaced event) {
            if (failuresLeft.getAndDecrement() > 0) {
                throw new NotNowException(Duration.ZERO, "cache is away");
            }
        }
    }

    @Test
    void aHandlerThatCanNotBeginIsNotGivenUpWhereTheRowIsItsAccount() {
        failuresLeft.set(5); // of three attempts
        start(EventHandlers.scan(new NotYet()), CompletionMode.MARK);

        assertThat(awaitStatus(publish(new OrderPlaced("42", 100)), EventStatus.DONE)
                        .event()
                        .attempts())
                .isZero();
    }

    @Test
    void anEventOfANewerReleaseIsNotGivenUpWhereTheRowIsItsAccount() {
        start(EventHandlers.scan(new Mailer()).deadOn(RuntimeException.class), CompletionMode.MARK);
        EventEnvelope newer = EventEnvelope.builder("order.placed")
                .headers(Map.of(EventHeaders.VERSION, "3"))
                .payloadJson("{}")
                .build();

        tx.inTransaction(() -> outbox.writer().write(newer));

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(store.row(newer.eventId())).satisfies(row -> {
                    assertThat(row.availableAt())
                            .isAfter(row.event().createdAt().plusSeconds(3));
                    assertThat(row.event().attempts()).isZero();
                    assertThat(row.status()).isEqualTo(EventStatus.NEW);
                }));
    }

    @Test
    void oneHandlerWithoutATrackerKeepsItsAccountInTheRow() {
        failuresLeft.set(2);
        start(EventHandlers.scan(new Mailer()), CompletionMode.MARK);

        assertThat(awaitStatus(publish(new OrderPlaced("42", 100)), EventStatus.DONE)
                        .event()
                        .attempts())
                .isEqualTo(2);

        failuresLeft.set(3);
        assertThat(awaitStatus(publish(new OrderPlaced("43", 100)), EventStatus.DEAD)
                        .lastError())
                .contains("smtp down");
    }

    @Test
    @DisplayName("P6: delete on success as an option")
    void deleteOnSuccessAsAnOption() {
        start(EventHandlers.scan(new Mailer(), new Stock()).tracker(tracker), CompletionMode.DELETE);

        String id = publish(new OrderPlaced("42", 100));

        await().atMost(Duration.ofMinutes(1)).until(() -> store.row(id) == null);
        assertThat(calls).containsExactlyInAnyOrder("mail", "stock");
    }

    @Test
    void anEventTypeWithoutAClassIsDeadWithItsCause() {
        start(EventHandlers.scan(new Mailer()), CompletionMode.MARK);
        tx.inTransaction(() -> outbox.writer().write("java.lang.Runtime", "{}"));

        InMemoryRow row = awaitStatus(store.rows().get(0).event().eventId(), EventStatus.DEAD);

        assertThat(row.lastError())
                .contains("UnknownEventTypeException")
                .contains("no class is registered for event type 'java.lang.Runtime'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mail", "archive"})
    void aRedeliveryGoesToOneHandlerOrRouteAlone(String target) {
        start(
                EventHandlers.scan(new Mailer(), new Stock())
                        .route(EventRoute.to("archive", event -> calls.add("archive")))
                        .tracker(tracker),
                CompletionMode.MARK);
        OutboxEvent delivered = awaitStatus(publish(new OrderPlaced("42", 100)), EventStatus.DONE)
                .event();
        assertThat(calls).containsExactlyInAnyOrder("mail", "stock", "archive");
        calls.clear();
        failuresLeft.set(target.equals("mail") ? 1 : 0);

        awaitStatus(redeliver(delivered, target), EventStatus.DONE);

        assertThat(calls).containsOnly(target).hasSize(target.equals("mail") ? 2 : 1);
        calls.clear();
        assertThat(awaitStatus(redeliver(delivered, "nobody"), EventStatus.DEAD).lastError())
                .contains("is a redelivery to 'nobody'");
        assertThat(calls).isEmpty();
    }

    @Test
    void aRedeliveryGoesToTheOnlyHandlerOfItsType() {
        start(EventHandlers.scan(new Mailer()), CompletionMode.MARK);
        OutboxEvent delivered = awaitStatus(publish(new OrderPlaced("42", 100)), EventStatus.DONE)
                .event();
        awaitStatus(redeliver(delivered, "mail"), EventStatus.DONE);
        assertThat(calls).containsExactly("mail", "mail");
    }

    private String redeliver(OutboxEvent event, String target) {
        String id = Ulid.next();
        EventEnvelope copy = EventEnvelope.builder(event.eventType())
                .eventId(id)
                .aggregateType(event.aggregateType())
                .aggregateId(event.aggregateId())
                .headers(Redelivery.headers(id, event.eventId(), target))
                .header(EventHeaders.VERSION, "2")
                .payloadJson(event.payloadJson())
                .build();
        tx.inTransaction(() -> outbox.writer().write(copy));
        return id;
    }

    @Test
    void anEventNobodyHandlesIsDeadUnlessThereIsAFallback() {
        start(
                EventHandlers.scan(new Mailer())
                        .types(EventTypes.builder()
                                .register(OrderCancelled.class)
                                .build()),
                CompletionMode.MARK);
        assertThat(awaitStatus(publish(new OrderCancelled("42")), EventStatus.DEAD)
                        .lastError())
                .contains("no listener is registered");
        outbox.close();

        start(EventHandlers.scan(new Mailer()).fallback(new LoggingTransport()), CompletionMode.MARK);
        awaitStatus(publish(new OrderCancelled("43")), EventStatus.DONE);
    }

    @Test
    void aFallbackMayDecideByTheEvent() {
        ListenerRegistry byId = new ListenerRegistry() {
            @Override
            public EventListener listenerFor(String aggregateType, String eventType) {
                throw new IllegalStateException("asked by names");
            }

            @Override
            public EventListener listenerFor(EventEnvelope event) {
                return heard -> calls.add(event.eventId());
            }
        };
        start(EventHandlers.scan(new Mailer()).fallback(byId), CompletionMode.MARK);
        String id = publish(new OrderCancelled("42"));
        awaitStatus(id, EventStatus.DONE);
        assertThat(calls).containsExactly(id);
    }

    @Test
    void aPayloadThatDoesNotFitIsDeadAtOnce() {
        start(EventHandlers.scan(new Mailer(), new Stock()).tracker(tracker), CompletionMode.MARK);
        tx.inTransaction(() -> outbox.writer().write("order.placed", "[1,2]"));

        InMemoryRow row = awaitStatus(store.rows().get(0).event().eventId(), EventStatus.DEAD);

        assertThat(row.lastError()).contains("attempt 1 of 3").contains("UnreadableEventException");
        assertThat(calls).isEmpty();
    }

    @Test
    void aHandlerThatCannotReadThePayloadDoesNotEndTheRetriesOfOthers() {
        failuresLeft.set(1);
        EventRoute broker = EventRoute.to("broker", event -> {
                    calls.add("broker");
                    if (failuresLeft.getAndDecrement() > 0) {
                        throw new IllegalStateException("broker away");
                    }
                })
                .eventTypes("order.*");
        start(EventHandlers.scan(new Stock()).route(broker).tracker(tracker), CompletionMode.MARK);
        tx.inTransaction(() -> outbox.writer().write("order.placed", "[1,2]"));

        InMemoryRow row = awaitStatus(store.rows().get(0).event().eventId(), EventStatus.DEAD);

        assertThat(calls).containsExactly("broker", "broker");
        assertThat(row.lastError()).contains("UnreadableEventException");
    }

    @Test
    void interceptorsRunAroundEachCallOnItsThread() {
        ThreadLocal<String> context = new ThreadLocal<>();
        class Looking {
            @EventHandler(name = "look")
            void on(OrderPlaced event) {
                calls.add(context.get());
            }
        }
        start(
                EventHandlers.scan(new Looking()).interceptor(call -> {
                    context.set("trace of " + call.handler());
                    call.proceed();
                    calls.add("after " + call.events().size());
                }),
                CompletionMode.MARK);

        awaitStatus(publish(new OrderPlaced("42", 1)), EventStatus.DONE);

        assertThat(calls).containsExactly("trace of look", "after 1");
    }

    class Ledgers {
        @EventHandler(name = "ledger")
        void ledger(OrderPlaced event) {
            if (event.cents() == 3 && failuresLeft.getAndDecrement() > 0) {
                throw new IllegalStateException("not yet");
            }
            calls.add("ledger " + event.cents());
        }

        @EventHandler(name = "audit")
        void audit(OrderPlaced event) {
            calls.add("audit " + event.cents());
        }
    }

    @Test
    @DisplayName("B2: each handler sees the events of an aggregate in their order, through retries")
    void eachHandlerSeesTheEventsOfAnAggregateInTheirOrder() {
        failuresLeft.set(2);
        handlers = EventHandlers.scan(new Ledgers())
                .serializer(serializer)
                .tracker(tracker)
                .defaultRetry(new RetryRule(attempts -> 1, 5))
                .build();
        outbox = Outbox.multiNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .listeners(handlers)
                .ordered()
                .pollInterval(Duration.ofMillis(20))
                .build()
                .start();
        TransactionalEventPublisher publisher = new TransactionalEventPublisher(
                outbox.writer(), tx, new EventEnvelopes(EventTypes.builder().build(), serializer));
        for (int i = 0; i < 10; i++) {
            OrderPlaced event = new OrderPlaced("42", i);
            tx.inTransaction(() -> publisher.publish(event, DomainEventContext.of("Order", "42")));
        }

        await().atMost(Duration.ofMinutes(1)).until(() -> store.count(EventStatus.DONE) == 10);

        List<String> inOrder =
                IntStream.range(0, 10).mapToObj(Integer::toString).toList();
        assertThat(calls.stream().filter(call -> call.startsWith("ledger")).map(call -> call.substring(7)))
                .isEqualTo(inOrder);
        assertThat(calls.stream().filter(call -> call.startsWith("audit")).map(call -> call.substring(6)))
                .isEqualTo(inOrder);
    }

    @Test
    @DisplayName("T1: in development handlers are called at once")
    void inDevelopmentHandlersAreCalledAtOnce() {
        start(EventHandlers.scan(new Mailer(), new Stock()).tracker(tracker), CompletionMode.MARK);
        InMemoryEventPublisher publisher = new InMemoryEventPublisher(
                new EventEnvelopes(EventTypes.builder().build(), serializer), handlers);

        publisher.publish(new OrderPlaced("42", 100));

        assertThat(calls).containsExactlyInAnyOrder("mail", "stock");
        assertThat(store.rows()).isEmpty();
    }

    @Test
    void figuresOfHandlersAreVisible() {
        start(EventHandlers.scan(new Mailer(), new Stock()).tracker(tracker), CompletionMode.MARK);

        List<EventHandlers.HandlerInfo> infos = handlers.handlers();

        assertThat(infos).extracting(EventHandlers.HandlerInfo::name).containsExactly("mail", "stock");
        assertThat(infos.get(0).eventTypes()).isEqualTo(Set.of("order.placed"));
        assertThat(infos.get(0).retry().maxAttempts()).isEqualTo(3);
        assertThat(infos.get(0).origin()).contains("Mailer.on(OrderPlaced)");
    }
}
