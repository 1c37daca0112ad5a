package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.domain.ActiveEntity;
import outbox.domain.AggregateRoot;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventBus;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;
import outbox.domain.EventHeaders;
import outbox.domain.EventName;
import outbox.domain.bus.LocalBus;
import outbox.domain.jackson.Jackson3PayloadSerializer;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.publish.DomainEventOutboxService;
import outbox.domain.publish.InMemoryEventPublisher;
import outbox.domain.publish.TransactionalEventPublisher;
import outbox.domain.type.EventDeserializer;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventNaming;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;

class DomainEventSnippets {
    // snippet: event
    @EventName("order.placed")
    public record OrderPlaced(String eventId, Instant occurredAt, String orderId, long cents) implements DomainEvent {
        public OrderPlaced(String orderId, long cents) {
            this(DomainEvent.newId(), Instant.now(), orderId, cents);
        }
    }
    // end

    // snippet: aggregate
    static class Order extends AggregateRoot {
        private final String id;
        private boolean placed;

        Order(String id) {
            this.id = id;
        }

        void place(long cents) {
            placed = true;
            raise(new OrderPlaced(id, cents));
        }

        String id() {
            return id;
        }
    }
    // end

    // snippet: active
    static class Cart extends ActiveEntity {
        private boolean checkedOut;

        void checkOut() {
            checkedOut = true;
            apply(new OrderPlaced("42", 1999)); // stored in the transaction this runs in
        }

        @Override
        protected String aggregateId() {
            return "cart-7";
        }
    }
    // end

    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final InMemoryTxContext txContext = store.txContext();
    private final OutboxWriter writer = new OutboxWriter(txContext, store);
    private final PayloadSerializer serializer = PayloadSerializers.detect();
    private final List<Order> orders = new ArrayList<>();

    private DomainEventPublisher publisher() {
        String tenant = "acme";
        // snippet: publisher
        EventTypes types = EventTypes.builder()
                .register(OrderPlaced.class)
                .naming(EventNaming.DOMAIN_ACTION) // <domain>.<action>[.<phase>], else refused
                .build();
        EventEnvelopes envelopes = new EventEnvelopes(
                types,
                PayloadSerializers.detect(), // Jackson 3 or 2, whichever is there
                () -> Map.of(EventHeaders.TENANT_ID, tenant)); // headers of every event
        DomainEventPublisher publisher = new TransactionalEventPublisher(writer, txContext, envelopes);
        // end
        return publisher;
    }

    @Test
    void pulledEventsAreRecordedWithTheAggregate() {
        DomainEventOutboxService outboxService = new DomainEventOutboxService(publisher());
        Order order = new Order("42");
        order.place(1999);
        txContext.inTransaction(() -> {
            // snippet: record
            orders.add(order); // or whatever saves it
            outboxService.recordPulledDomainEvents(
                    order, DomainEventContext.of("Order", order.id()).with(EventHeaders.OPERATOR, "ada"));
            // end
        });
        assertThat(store.rows()).singleElement().satisfies(row -> {
            assertThat(row.event().eventType()).isEqualTo("order.placed");
            assertThat(row.event().aggregateId()).isEqualTo("42");
            assertThat(row.event().headersJson()).contains("\"operator\":\"ada\"", "\"tenantId\":\"acme\"");
        });
        assertThat(order.placed).isTrue();
    }

    @Test
    void anActiveEntityPublishesByItself() {
        DomainEventPublisher publisher = publisher();
        // snippet: bind
        DomainEventBus.Binding binding = DomainEventBus.bind(publisher); // once, when the application starts
        // end
        try (binding) {
            Cart cart = new Cart();
            txContext.inTransaction(cart::checkOut);
            assertThat(cart.checkedOut).isTrue();
        }
        assertThat(store.rows()).hasSize(1);
    }

    // snippet: versions
    @EventName(value = "payment.taken", version = 2, formerNames = "PaymentTaken")
    public record PaymentTaken(String eventId, Instant occurredAt, long cents) implements DomainEvent {}
    // end

    @Test
    void oldRowsAreReadByTodaysClass() {
        // snippet: upcaster
        Jackson3PayloadSerializer serializer = new Jackson3PayloadSerializer();
        EventTypes types = EventTypes.builder()
                .register(PaymentTaken.class)
                .upcaster(serializer.upcaster( // version 1 had whole units
                        "payment.taken",
                        1,
                        json -> json.put("cents", json.remove("amount").asLong() * 100)))
                .build();
        // end
        Object read = new EventDeserializer(types, serializer)
                .read(EventEnvelope.ofJson(
                        "PaymentTaken", "{\"eventId\":\"e\",\"occurredAt\":\"2026-01-01T00:00:00Z\",\"amount\":3}"));
        assertThat(((PaymentTaken) read).cents()).isEqualTo(300);
    }

    @Test
    void inDevelopmentEventsGoStraightToTheirSubscribers() {
        List<String> seen = new ArrayList<>();
        EventTypes types = EventTypes.builder().register(OrderPlaced.class).build();
        EventEnvelopes envelopes = new EventEnvelopes(types, serializer);
        // snippet: in-memory
        LocalBus bus = new LocalBus(new EventDeserializer(types, serializer));
        bus.subscribe(OrderPlaced.class, event -> seen.add(event.orderId()));

        DomainEventPublisher publisher = new InMemoryEventPublisher(envelopes, (aggregateType, eventType) -> bus);
        publisher.publish(new OrderPlaced("42", 1999));
        // end
        assertThat(seen).containsExactly("42");
    }
}
