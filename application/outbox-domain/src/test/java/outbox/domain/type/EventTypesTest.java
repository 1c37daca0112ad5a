package outbox.domain.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.domain.DomainEventContext;
import outbox.domain.EventHeaders;
import outbox.domain.EventName;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.sample.OrderCancelled;
import outbox.domain.sample.OrderPlaced;
import outbox.domain.sample.PaymentTaken;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;

class EventTypesTest {
    @EventName(value = "stock.taken", formerNames = "StockTaken")
    record StockTaken(String sku) {}

    @Test
    @DisplayName("D3: registry, then annotation, then class name")
    void theRegistryGoesBeforeTheAnnotationAndThatBeforeTheClassName() {
        EventTypes types = EventTypes.builder()
                .register("shop.order.placed", OrderPlaced.class)
                .build();

        assertThat(types.nameOf(OrderPlaced.class)).isEqualTo("shop.order.placed");
        assertThat(types.nameOf(OrderCancelled.class)).isEqualTo("order.cancelled");
        assertThat(types.nameOf(PaymentTaken.class)).isEqualTo(PaymentTaken.class.getName());
        assertThat(types.classOf("shop.order.placed")).isEqualTo(OrderPlaced.class);
    }

    @Test
    void onlyRegisteredNamesHaveAClass() {
        EventTypes types = EventTypes.builder().register(StockTaken.class).build();

        assertThat(types.classOf("stock.taken")).isEqualTo(StockTaken.class);
        assertThat(types.classOf("StockTaken")).isEqualTo(StockTaken.class);
        assertThat(types.classOf(OrderPlaced.class.getName())).isNull();
    }

    @Test
    void aNameStandsForOneClassAndAClassHasOneName() {
        assertThatThrownBy(() -> EventTypes.builder()
                        .register("order.placed", OrderPlaced.class)
                        .register("order.placed", OrderCancelled.class))
                .hasMessageContaining("'order.placed' is already used for")
                .hasMessageContaining("OrderCancelled");
        assertThatThrownBy(
                        () -> EventTypes.builder().register(OrderPlaced.class).register("order.new", OrderPlaced.class))
                .hasMessageContaining("cannot also be order.new");
    }

    @Test
    @DisplayName("W4: names are checked when asked")
    void namesAreCheckedWhenAsked() {
        assertThat(List.of("split.finalized", "delivery.dispatched", "outbound.reviewed", "order.paid.late"))
                .allMatch(EventNaming.DOMAIN_ACTION::allows);
        assertThat(List.of("OrderPlaced", "order", "order.", "Order.placed", "a.b.c.d", "order placed", "order.1st"))
                .noneMatch(EventNaming.DOMAIN_ACTION::allows);
        assertThatThrownBy(() -> EventTypes.builder()
                        .register(PaymentTaken.class)
                        .naming(EventNaming.DOMAIN_ACTION)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(PaymentTaken.class.getName())
                .hasMessageContaining("<domain>.<action>[.<phase>]");
    }

    @Test
    @DisplayName("W4: a class that is not registered is checked when it is published")
    void aClassThatIsNotRegisteredIsCheckedWhenItIsPublished() {
        EventTypes types =
                EventTypes.builder().naming(EventNaming.DOMAIN_ACTION).build();

        assertThat(types.nameOf(OrderPlaced.class)).isEqualTo("order.placed");
        assertThatThrownBy(() -> types.nameOf(PaymentTaken.class)).hasMessageContaining("violates the naming rule");
    }

    @Test
    @DisplayName("W4: the rule holds for events that come from no domain event too")
    void theRuleHoldsForEventsThatComeFromNoDomainEvent() {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTxContext tx = store.txContext();
        OutboxWriter writer = new OutboxWriter(tx, store, EventNaming.DOMAIN_ACTION.writerHook());

        tx.inTransaction(() -> writer.write("split.finalized", "{}"));
        assertThatThrownBy(() -> tx.inTransaction(() -> writer.write("SplitFinalized", "{}")))
                .hasMessageContaining("SplitFinalized");

        assertThat(store.rows()).hasSize(1);
    }

    @Test
    void aNameThatDoesNotFitTheColumnIsRefused() {
        assertThatThrownBy(() -> EventTypes.builder()
                        .register("x".repeat(129), OrderPlaced.class)
                        .build())
                .hasMessageContaining("129 characters, but the column allows 128");
    }

    @Test
    void anEventIsWrittenInTheVersionItsClassIsRegisteredWith() {
        EventTypes types = EventTypes.builder()
                .register("payment.taken", 2, PaymentTaken.class)
                .upcaster(Upcaster.of("payment.taken", 1, json -> json.replace("{", "{\"upcast\":true,")))
                .build();
        PayloadSerializer serializer = PayloadSerializers.detect();

        EventEnvelope written =
                new EventEnvelopes(types, serializer).envelope(new PaymentTaken("p-1"), DomainEventContext.NONE);

        assertThat(written.headers()).containsEntry(EventHeaders.VERSION, "2");
        EventDeserializer reader = new EventDeserializer(types, new PayloadSerializer() {
            @Override
            public String serialize(Object value) {
                throw new AssertionError();
            }

            @Override
            public <T> T deserialize(String json, Class<T> type) {
                assertThat(json).isEqualTo(written.payloadJson());
                return serializer.deserialize(json, type);
            }
        });
        assertThat(reader.read(written)).isInstanceOf(PaymentTaken.class);
    }

    @Test
    void upcastersWithAGapAreRefused() {
        EventTypes.Builder types = EventTypes.builder()
                .register("a.b", 4, OrderCancelled.class)
                .upcaster(Upcaster.of("a.b", 1, json -> json))
                .upcaster(Upcaster.of("a.b", 3, json -> json));

        assertThatThrownBy(types::build).hasMessageContaining("[1, 3]").hasMessageContaining("[1, 2, 3]");
    }

    @Test
    void anUpcasterForATypeNobodyRegisteredIsRefused() {
        assertThatThrownBy(() -> EventTypes.builder()
                        .upcaster(Upcaster.of("a.b", 1, json -> json))
                        .build())
                .hasMessageContaining("'a.b', which is not registered");
    }

    @Test
    void anUnknownTypeIsNeverLoadedByItsName() {
        EventDeserializer reader = new EventDeserializer(EventTypes.builder().build(), new NoSerializer());

        assertThatThrownBy(() -> reader.read(EventEnvelope.ofJson("outbox.domain.type.Tripwire", "{}")))
                .isInstanceOf(UnknownEventTypeException.class)
                .hasMessageContaining("no class is registered for event type 'outbox.domain.type.Tripwire'");

        assertThat(System.getProperty("outbox.tripwire")).isNull();
    }

    private static final class NoSerializer implements PayloadSerializer {
        @Override
        public String serialize(Object value) {
            throw new AssertionError();
        }

        @Override
        public <T> T deserialize(String json, Class<T> type) {
            throw new AssertionError();
        }
    }
}
