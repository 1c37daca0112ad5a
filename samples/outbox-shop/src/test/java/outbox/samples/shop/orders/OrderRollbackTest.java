package outbox.samples.shop.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.DomainEventContext;
import outbox.domain.publish.DomainEventOutboxService;
import outbox.samples.shop.ShopSetup;

/** JPA: an order and its event exist both or not at all. */
@ShopSetup
class OrderRollbackTest {
    private static final NewOrder LAMP = new NewOrder("lamp", 1999, "GOOD", "ada@mail.example");

    @Autowired
    OrderService orders;

    @Autowired
    OrderRepository repository;

    @Autowired
    DomainEventOutboxService outbox;

    @Autowired
    TransactionTemplate transactions;

    @Autowired
    JdbcTemplate jdbc;

    @Test
    void anOrderThatIsRolledBackLeavesNoEvent() {
        String order = transactions.execute(tx -> {
            tx.setRollbackOnly();
            String id = orders.place(UUID.randomUUID().toString(), LAMP).publicId();
            assertThat(events(id)).as("written, not committed").isEqualTo(1);
            return id;
        });

        assertThat(repository.findById(order)).isEmpty();
        assertThat(events(order)).isZero();
    }

    @Test
    void anEventIsGoneWhenTheFlushAtTheCommitFails() {
        String taken = orders.place(UUID.randomUUID().toString(), LAMP).publicId();
        int before = events(taken);

        assertThatThrownBy(() -> transactions.executeWithoutResult(tx -> {
                    Order second = repository.save(Order.place(taken, LAMP));
                    outbox.recordPulledDomainEvents(second, DomainEventContext.NONE);
                    assertThat(events(taken)).as("written before the flush").isEqualTo(before + 1);
                }))
                .isInstanceOf(DataIntegrityViolationException.class);

        assertThat(events(taken)).isEqualTo(before);
    }

    private int events(String order) {
        Integer count = jdbc.queryForObject(
                "SELECT COUNT(*) FROM outbox_event WHERE aggregate_id = ? AND event_type = 'order.placed'",
                Integer.class,
                order);
        return count == null ? 0 : count;
    }
}
