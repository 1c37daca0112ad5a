package outbox.domain.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.domain.ActiveEntity;
import outbox.domain.DomainEventBus;
import outbox.domain.sample.OrderPlaced;

@DisplayName("P1 active entity")
class ActiveEntityTest {
    private final PublisherFixture orders = new PublisherFixture();
    private final PublisherFixture billing = new PublisherFixture();

    private static class Cart extends ActiveEntity {
        @Override
        protected String aggregateId() {
            return "c-1";
        }

        void checkOut() {
            apply(new OrderPlaced("42", 100));
        }
    }

    @Test
    void applyPublishesInTheCurrentTransaction() {
        try (DomainEventBus.Binding bound = DomainEventBus.bind(orders.publisher)) {
            orders.tx.inTransaction(() -> new Cart().checkOut());
        }
        assertThat(orders.store.rows()).singleElement().satisfies(row -> {
            assertThat(row.event().aggregateType()).isEqualTo("Cart");
            assertThat(row.event().aggregateId()).isEqualTo("c-1");
        });
    }

    @Test
    void ofTwoPublishersTheOneInATransactionIsMeant() {
        try (DomainEventBus.Binding one = DomainEventBus.bind(orders.publisher);
                DomainEventBus.Binding two = DomainEventBus.bind(billing.publisher)) {
            billing.tx.inTransaction(() -> new Cart().checkOut());
        }
        assertThat(orders.store.rows()).isEmpty();
        assertThat(billing.store.rows()).hasSize(1);
    }

    @Test
    void applyOutsideOfATransactionIsRefused() {
        try (DomainEventBus.Binding bound = DomainEventBus.bind(orders.publisher)) {
            assertThatThrownBy(() -> new Cart().checkOut())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no active transaction");
        }
    }

    @Test
    void applyInTwoTransactionsAtOnceIsRefused() {
        try (DomainEventBus.Binding one = DomainEventBus.bind(orders.publisher);
                DomainEventBus.Binding two = DomainEventBus.bind(billing.publisher)) {
            assertThatThrownBy(
                            () -> orders.tx.inTransaction(() -> billing.tx.inTransaction(() -> new Cart().checkOut())))
                    .hasMessageContaining("transactions of 2 publishers at once");
        }
    }

    @Test
    void applyWithoutAPublisherSaysHowToBindOne() {
        assertThatThrownBy(() -> new Cart().checkOut()).hasMessageContaining("DomainEventBus.bind(publisher)");
    }
}
