package outbox.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.domain.sample.Order;
import outbox.domain.sample.OrderCancelled;
import outbox.domain.sample.OrderPlaced;

@DisplayName("D1 aggregate root")
class AggregateRootTest {
    private final Order order = new Order("42");

    @Test
    void raisedEventsArePulledOnceInTheirOrder() {
        order.place(100);
        order.cancel();

        List<DomainEvent> pulled = order.pullDomainEvents();

        assertThat(pulled).hasExactlyElementsOfTypes(OrderPlaced.class, OrderCancelled.class);
        assertThat(order.pullDomainEvents()).isEmpty();
    }

    @Test
    void whatIsRaisedAfterAPullBelongsToTheNextOne() {
        order.place(100);
        List<DomainEvent> first = order.pullDomainEvents();
        order.cancel();

        assertThat(first).hasExactlyElementsOfTypes(OrderPlaced.class);
        assertThat(order.pullDomainEvents()).hasExactlyElementsOfTypes(OrderCancelled.class);
    }

    @Test
    void pulledEventsCanNotBeChangedFromOutside() {
        order.place(100);

        List<DomainEvent> pulled = order.pullDomainEvents();

        assertThatThrownBy(pulled::clear).isInstanceOf(UnsupportedOperationException.class);
    }
}
