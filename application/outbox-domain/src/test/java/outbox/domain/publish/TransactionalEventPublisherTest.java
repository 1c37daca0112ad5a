package outbox.domain.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.domain.DomainEventContext;
import outbox.domain.EventHeaders;
import outbox.domain.EventName;
import outbox.domain.sample.Order;
import outbox.domain.sample.OrderCancelled;
import outbox.domain.sample.OrderPlaced;
import outbox.domain.sample.PaymentTaken;
import outbox.model.OutboxEvent;
import outbox.testing.InMemoryRow;
import outbox.util.JsonCodec;

class TransactionalEventPublisherTest {
    private final PublisherFixture fixture = new PublisherFixture();

    @Test
    @DisplayName("T1: an event is stored if the transaction commits")
    void anEventIsStoredIfTheTransactionCommits() {
        fixture.tx.inTransaction(() -> fixture.publisher.publish(new OrderPlaced("42", 100)));

        assertThat(fixture.store.rows()).hasSize(1);
    }

    @Test
    @DisplayName("T1: an event is gone if the transaction rolls back")
    void anEventIsGoneIfTheTransactionRollsBack() {
        assertThatThrownBy(() -> fixture.tx.inTransaction(() -> {
                    fixture.publisher.publish(new OrderPlaced("42", 100));
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(fixture.store.rows()).isEmpty();
    }

    @Test
    void publishingWithoutATransactionIsRefused() {
        assertThatThrownBy(() -> fixture.publisher.publish(new OrderPlaced("42", 100)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no active transaction");
    }

    @Test
    @DisplayName("D2: pulled events and their context become rows in the same transaction")
    void pulledEventsAndTheirContextBecomeRows() {
        DomainEventOutboxService service = new DomainEventOutboxService(fixture.publisher);
        Order order = new Order("42");
        order.place(100);
        order.cancel();
        List<String> ids = order.pendingDomainEvents().stream()
                .map(event -> event.eventId())
                .toList();

        fixture.tx.inTransaction(() -> service.recordPulledDomainEvents(
                order, DomainEventContext.of("Order", order.id()).with(EventHeaders.OPERATOR, "ada")));

        assertThat(order.pendingDomainEvents()).isEmpty();
        List<OutboxEvent> rows =
                fixture.store.rows().stream().map(InMemoryRow::event).toList();
        assertThat(rows).extracting(OutboxEvent::eventId).isEqualTo(ids);
        assertThat(rows).extracting(OutboxEvent::eventType).containsExactly("order.placed", "order.cancelled");
        assertThat(rows).allSatisfy(row -> {
            assertThat(row.aggregateType()).isEqualTo("Order");
            assertThat(row.aggregateId()).isEqualTo("42");
            assertThat(row.attempts()).isZero();
            assertThat(headers(row)).containsEntry(EventHeaders.OPERATOR, "ada");
        });
        assertThat(rows.get(0).createdAt()).isEqualTo("2026-03-01T10:15:30.123456Z");
        assertThat(rows.get(0).payloadJson()).contains("\"cents\":100");
    }

    @Test
    void anAggregateKeepsItsEventsIfTheyCouldNotBeRecorded() {
        DomainEventOutboxService service = new DomainEventOutboxService(fixture.publisher);
        Order order = new Order("42");
        order.place(100);

        assertThatThrownBy(() -> service.recordPulledDomainEvents(order, DomainEventContext.NONE))
                .hasMessageContaining("no active transaction");

        assertThat(order.pendingDomainEvents()).hasSize(1);
    }

    @Test
    @DisplayName("T5: tenant, trace, request and operator travel in the headers")
    void tenantTraceRequestAndOperatorTravelInTheHeaders() {
        fixture.tx.inTransaction(() -> fixture.publisher.publish(
                new OrderCancelled("42"), DomainEventContext.NONE.with(EventHeaders.OPERATOR, "ada")));

        OutboxEvent row = fixture.store.rows().get(0).event();
        assertThat(headers(row))
                .containsEntry(EventHeaders.TENANT_ID, "acme")
                .containsEntry(EventHeaders.TRACE_ID, "trace-1")
                .containsEntry(EventHeaders.REQUEST_ID, "req-1")
                .containsEntry(EventHeaders.OPERATOR, "ada")
                .containsEntry(EventHeaders.VERSION, "1");
        assertThat(row.tenantId()).isEqualTo("acme");
        assertThat(row.aggregateType()).isEqualTo("Order");
        assertThat(row.aggregateId()).isEqualTo("42");
    }

    @EventName(value = "stock.counted", version = 2)
    record StockCounted(int pieces) {}

    @Test
    void anObjectWithAnEventNameIsAnEvent() {
        StockCounted event = new StockCounted(7);
        fixture.tx.inTransaction(() -> fixture.publisher.publishAll(List.of(event, event)));

        List<OutboxEvent> rows =
                fixture.store.rows().stream().map(InMemoryRow::event).toList();
        assertThat(rows).extracting(OutboxEvent::eventType).containsOnly("stock.counted");
        assertThat(rows).extracting(OutboxEvent::eventId).doesNotHaveDuplicates();
        assertThat(rows.get(0).payloadJson()).isEqualTo("{\"pieces\":7}");
        assertThat(headers(rows.get(0))).containsEntry(EventHeaders.VERSION, "2");
    }

    @Test
    void anObjectThatIsNoEventIsRefused() {
        assertThatThrownBy(() -> fixture.tx.inTransaction(() -> fixture.publisher.publish("text")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.String is no event type")
                .hasMessageContaining("@EventName");
        assertThat(fixture.store.rows()).isEmpty();
    }

    @Test
    @DisplayName("D3: the class name stands in where there is no stable name")
    void theClassNameStandsInWhereThereIsNoStableName() {
        PaymentTaken event = new PaymentTaken("p-1");
        fixture.tx.inTransaction(() -> fixture.publisher.publish(event));

        OutboxEvent row = fixture.store.rows().get(0).event();
        assertThat(row.eventType()).isEqualTo(PaymentTaken.class.getName());
        assertThat(row.createdAt()).isEqualTo(event.occurredAt().truncatedTo(ChronoUnit.MICROS));
        assertThat(row.tenantId()).isEqualTo("by-source");
    }

    private static Map<String, String> headers(OutboxEvent row) {
        return JsonCodec.getDefault().parseObject(row.headersJson());
    }
}
