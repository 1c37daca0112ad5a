package outbox.domain.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.domain.DomainEventContext;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.publish.InMemoryEventPublisher;
import outbox.domain.sample.OrderCancelled;
import outbox.domain.sample.OrderEvent;
import outbox.domain.sample.OrderPlaced;
import outbox.domain.type.EventDeserializer;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;

class LocalBusTest {
    private final EventTypes types = EventTypes.builder()
            .register(OrderPlaced.class, OrderCancelled.class)
            .build();
    private final EventEnvelopes envelopes = new EventEnvelopes(types, PayloadSerializers.detect());
    private final LocalBus bus = new LocalBus(new EventDeserializer(types, PayloadSerializers.detect()));
    private final List<String> seen = new ArrayList<>();

    private EventEnvelope placed() {
        return envelopes.envelope(new OrderPlaced("42", 100), DomainEventContext.NONE);
    }

    @Test
    @DisplayName("W3: subscribers in this process get the events of their class")
    void subscribersGetTheEventsOfTheirClass() throws Exception {
        bus.subscribe(OrderPlaced.class, event -> seen.add("placed " + event.orderId()));
        bus.subscribe(OrderCancelled.class, event -> seen.add("cancelled"));
        bus.subscribe(OrderEvent.class, event -> seen.add("order " + event.orderId()));

        bus.onEvent(placed());

        assertThat(seen).containsExactly("placed 42", "order 42");
    }

    @Test
    @DisplayName("W3: a closed subscription gets nothing more")
    void aClosedSubscriptionGetsNothingMore() throws Exception {
        LocalBus.Subscription subscription = bus.subscribe(OrderPlaced.class, event -> seen.add("placed"));
        subscription.close();

        bus.onEvent(placed());

        assertThat(seen).isEmpty();
    }

    @Test
    @DisplayName("W3: one that throws does not keep the event from the others, and it is delivered again")
    void oneThatThrowsDoesNotKeepTheEventFromTheOthers() {
        bus.subscribe(OrderPlaced.class, event -> {
            throw new IllegalStateException("first");
        });
        bus.subscribe(OrderPlaced.class, event -> {
            throw new IllegalStateException("second");
        });
        bus.subscribe(OrderPlaced.class, event -> seen.add("third"));

        assertThatThrownBy(() -> bus.onEvent(placed()))
                .hasMessage("first")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));

        assertThat(seen).containsExactly("third");
    }

    @Test
    @DisplayName("D8: the logging transport takes everything and does nothing")
    void theLoggingTransportTakesEverythingAndDoesNothing() {
        LoggingTransport transport = new LoggingTransport();

        assertThat(transport.listenerFor("any", "thing")).isSameAs(transport);
        assertThatCode(() -> transport.onEvent(placed())).doesNotThrowAnyException();
    }

    @Test
    @DisplayName("T1: in development events go to the listeners at once")
    void inDevelopmentEventsGoToTheListenersAtOnce() {
        InMemoryEventPublisher publisher = new InMemoryEventPublisher(envelopes, (aggregate, type) -> bus);
        bus.subscribe(OrderPlaced.class, event -> seen.add(event.orderId()));

        publisher.publish(new OrderPlaced("42", 100));

        assertThat(seen).containsExactly("42");
        assertThat(publisher.isInTransaction()).isTrue();
    }

    @Test
    @DisplayName("T1: in development a failure reaches the caller")
    void inDevelopmentAFailureReachesTheCaller() {
        InMemoryEventPublisher publisher = new InMemoryEventPublisher(envelopes, (aggregate, type) -> bus);
        bus.subscribe(OrderPlaced.class, event -> {
            throw new Exception("checked");
        });

        assertThatThrownBy(() -> publisher.publish(new OrderPlaced("42", 100)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("checked");
    }

    @Test
    void anEventNobodyListensToIsDropped() {
        InMemoryEventPublisher publisher = new InMemoryEventPublisher(envelopes, (aggregate, type) -> null);

        assertThatCode(() -> publisher.publish(new OrderPlaced("42", 100))).doesNotThrowAnyException();
    }
}
