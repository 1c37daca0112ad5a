package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.domain.EventHeaders;
import outbox.domain.handler.HandlerFixture.RowOutcome;
import outbox.domain.sample.OrderCancelled;
import outbox.domain.sample.OrderEvent;
import outbox.domain.sample.OrderPlaced;
import outbox.domain.type.EventTypes;

@DisplayName("P1 handler methods")
class HandlerScanTest {
    private final HandlerFixture fixture = new HandlerFixture();
    private final List<Object> seen = new ArrayList<>();

    class Everything {
        @EventHandler
        private void all(Map<String, String> headers, OrderPlaced event, EventEnvelope envelope) {
            seen.addAll(List.of(headers.get(EventHeaders.VERSION), event, envelope.aggregateType()));
        }
    }

    class Values {
        @EventHandler
        void on(
                @EventHeader(EventHeaders.VERSION) String version,
                OrderPlaced event,
                @EventHeader("missing") String missing,
                @EventId String id,
                @Attempt int attempt) {
            seen.addAll(Arrays.asList(version, missing, id, attempt));
        }
    }

    class Base {
        @EventHandler(name = "base")
        void on(OrderPlaced event) {
            seen.add("base");
        }
    }

    class Derived extends Base {
        @Override
        @EventHandler(name = "derived")
        void on(OrderPlaced event) {
            seen.add("derived");
        }
    }

    class ByInterface {
        @EventHandler
        void on(OrderEvent event) {
            seen.add(event.orderId());
        }
    }

    @Test
    void aMethodGetsTheEventItsEnvelopeAndHeadersInAnyOrder() {
        OrderPlaced event = new OrderPlaced("42", 100);
        fixture.deliver(fixture.handlers(new Everything()).build(), fixture.envelope(event));

        assertThat(seen).containsExactly("2", event, "Order");
    }

    @Test
    void aMethodGetsSingleValuesByAnnotation() {
        OrderPlaced event = new OrderPlaced("42", 100);
        fixture.deliver(fixture.handlers(new Values()).build(), fixture.envelope(event));

        assertThat(seen).containsExactly("2", null, event.eventId(), 1);
    }

    @Test
    void theNameIsClassMethodAndEventWhereNoneIsGiven() {
        assertThat(fixture.handlers(new Everything()).build().handlers())
                .extracting(EventHandlers.HandlerInfo::name)
                .containsExactly("Everything.all(OrderPlaced)");
    }

    @Test
    void anOverriddenMethodIsOneHandler() {
        fixture.deliver(fixture.handlers(new Derived()).build(), fixture.envelope(new OrderPlaced("42", 1)));

        assertThat(seen).containsExactly("derived");
    }

    @Test
    void aHandlerOfAnInterfaceTakesAllRegisteredEventsThatImplementIt() {
        EventHandlers handlers = fixture.handlers(new ByInterface())
                .types(EventTypes.builder()
                        .register(OrderPlaced.class, OrderCancelled.class)
                        .build())
                .build();

        fixture.deliver(handlers, fixture.envelope(new OrderPlaced("1", 1)));
        fixture.deliver(handlers, fixture.envelope(new OrderCancelled("2")));

        assertThat(seen).containsExactly("1", "2");
        assertThat(handlers.handlers().get(0).eventTypes()).containsExactly("order.cancelled", "order.placed");
    }

    @Test
    void aFunctionAndAListenerAreHandlersToo() {
        EventHandlers handlers = EventHandlers.builder()
                .serializer(fixture.serializer)
                .tracker(fixture.tracker)
                .executor(Runnable::run)
                .handler(
                        "stock",
                        OrderPlaced.class,
                        HandlerOptions.DEFAULT,
                        (event, envelope) -> seen.add(event.orderId()))
                .route(EventRoute.to("broker", envelope -> seen.add(envelope.eventType()))
                        .eventTypes("order.placed"))
                .build();

        assertThat(fixture.deliver(handlers, fixture.envelope(new OrderPlaced("42", 1))))
                .isEqualTo(new RowOutcome.Done());
        assertThat(seen).containsExactly("42", "order.placed");
    }

    interface Audited {
        List<String> audited();

        @EventHandler(name = "audit")
        default void audit(OrderPlaced event) {
            audited().add(event.orderId());
        }
    }

    record Audit(List<String> audited) implements Audited {}

    @Test
    void anInheritedMethodOfAnInterfaceIsAHandler() {
        Audit audit = new Audit(new ArrayList<>());
        assertThat(EventHandlers.areIn(Audit.class)).isTrue();

        fixture.deliver(fixture.handlers(audit).build(), fixture.envelope(new OrderPlaced("42", 1)));

        assertThat(audit.audited()).containsExactly("42");
    }

    interface Handles<E> {
        @EventHandler
        void on(E event);
    }

    class Generic implements Handles<OrderPlaced> {
        @Override
        @EventHandler(name = "generic")
        public void on(OrderPlaced event) {
            seen.add("generic");
        }
    }

    @Test
    void whatImplementsAGenericMethodIsOneHandler() {
        fixture.deliver(fixture.handlers(new Generic()).build(), fixture.envelope(new OrderPlaced("42", 1)));

        assertThat(seen).containsExactly("generic");
    }

    // ---- what is refused ----------------------------------------------------------------------------------------

    static class NoEvent {
        @EventHandler
        void nothing(EventEnvelope envelope) {}
    }

    static class TwoEvents {
        @EventHandler
        void both(OrderPlaced one, OrderCancelled other) {}
    }

    static class Returning {
        @EventHandler
        String answer(OrderPlaced event) {
            return "42";
        }
    }

    static class Primitive {
        @EventHandler
        void number(int event) {}
    }

    static class WrongHeaders {
        @EventHandler
        void headers(OrderPlaced event, Map<String, Object> headers) {}
    }

    static class WrongAttempt {
        @EventHandler
        void on(OrderPlaced event, @Attempt String attempt) {}
    }

    static class AttemptOfABatch {
        @EventHandler
        void on(List<OrderPlaced> events, @Attempt int attempt) {}
    }

    static class BatchOfOne {
        @EventHandler(batch = 10)
        void one(OrderPlaced event) {}
    }

    static class NegativeLimit {
        @EventHandler(maxAttempts = -1)
        void never(OrderPlaced event) {}
    }

    class Silent extends Base {
        @Override
        void on(OrderPlaced event) {}
    }

    static class SilentGeneric implements Handles<OrderPlaced> {
        @Override
        public void on(OrderPlaced event) {}
    }

    @Test
    void anOverrideWithoutTheAnnotationIsRefusedAndNotForgotten() {
        assertRefused(new Silent(), "Base.on(OrderPlaced)", "Silent overrides it without @EventHandler");
        assertRefused(new SilentGeneric(), "Handles.on(E)", "SilentGeneric overrides it without @EventHandler");
    }

    @Test
    void aWrongSignatureFailsTheStartAndNamesTheMethod() {
        assertRefused(new NoEvent(), "NoEvent.nothing(EventEnvelope)", "takes no event");
        assertRefused(new TwoEvents(), "TwoEvents.both(OrderPlaced, OrderCancelled)", "more than one Event");
        assertRefused(new Returning(), "Returning.answer(OrderPlaced)", "must return void");
        assertRefused(new Primitive(), "Primitive.number(int)", "plain class");
        assertRefused(
                new WrongHeaders(), "WrongHeaders.headers(OrderPlaced, Map<String, Object>)", "more than one Event");
        assertRefused(new WrongAttempt(), "WrongAttempt.on(OrderPlaced, String)", "must be of type int, not String");
        assertRefused(new AttemptOfABatch(), "AttemptOfABatch.on(List<OrderPlaced>, int)", "use List<EventEnvelope>");
        assertRefused(new BatchOfOne(), "BatchOfOne.one(OrderPlaced)", "use a List");
        assertRefused(new NegativeLimit(), "NegativeLimit.never(OrderPlaced)", "maxAttempts must be positive: -1");
        assertRefused(new Object(), "java.lang.Object", "no method with @EventHandler");
    }

    private static void assertRefused(Object object, String method, String why) {
        assertThatThrownBy(() -> EventHandlers.scan(object))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(method)
                .hasMessageContaining(why);
    }

    static class Twins {
        @EventHandler(name = "mail")
        void first(OrderPlaced event) {}

        @EventHandler(name = "mail")
        void second(OrderCancelled event) {}
    }

    @Test
    void twoHandlersWithOneNameFailTheStart() {
        assertThatThrownBy(() -> fixture.handlers(new Twins()).build())
                .isInstanceOf(DuplicateHandlerNameException.class)
                .hasMessageContaining("two handlers have the name 'mail'")
                .hasMessageContaining("Twins.first(OrderPlaced)")
                .hasMessageContaining("Twins.second(OrderCancelled)");
    }

    @Test
    void severalHandlersAndTransactionalOnesNeedATracker() {
        assertThat(EventHandlers.scan(new Twins()).needsTracker()).isFalse();
        assertThat(EventHandlers.scan(new Twins())
                        .handler("statistics", OrderPlaced.class, HandlerOptions.DEFAULT, (event, envelope) -> {})
                        .needsTracker())
                .isTrue();
        assertThat(EventHandlers.scan(new Transactional()).needsTracker()).isTrue();
    }

    static class UnknownRule {
        @EventHandler(retry = "slowly")
        void on(OrderPlaced event) {}
    }

    @Test
    void anUnknownRetryRuleNamesTheKnownOnes() {
        assertThatThrownBy(() -> fixture.handlers(new UnknownRule()).build())
                .hasMessageContaining("'slowly'")
                .hasMessageContaining("[outbound, quick, recovery, relay]");
    }

    static class Transactional {
        @EventHandler(transactional = true)
        void on(OrderPlaced event) {}
    }

    @Test
    void aTransactionalHandlerNeedsATransactionalTracker() {
        assertThatThrownBy(() -> fixture.handlers(new Transactional()).build())
                .hasMessageContaining("Transactional.on(OrderPlaced)")
                .hasMessageContaining("JdbcEventConsumptionTracker");
    }

    @Test
    void severalHandlersNeedATracker() {
        assertThatThrownBy(() -> EventHandlers.scan(new Base(), new Everything())
                        .serializer(fixture.serializer)
                        .build())
                .hasMessageContaining("'order.placed' has 2 handlers, [base, Everything.all(OrderPlaced)]")
                .hasMessageContaining("tracker(...)");
    }

    @Test
    void aHandlerOfAnInterfaceNobodyImplementsIsRefused() {
        assertThatThrownBy(() -> fixture.handlers(new ByInterface()).build())
                .hasMessageContaining("ByInterface.on(OrderEvent)")
                .hasMessageContaining("matches no registered event");
    }
}
