package outbox.samples.shop.payments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.samples.shop.ShopSetup;
import outbox.samples.shop.events.OrderPlaced;

/** MyBatis: a payment and its event exist both or not at all. */
@ShopSetup
class PaymentRollbackTest {
    @Autowired
    PaymentBook book;

    @Autowired
    PaymentMapper payments;

    @Autowired
    TransactionTemplate transactions;

    @Autowired
    JdbcTemplate jdbc;

    @Test
    void aPaymentThatIsRolledBackLeavesNoEvent() {
        String order = "ord_" + UUID.randomUUID();
        transactions.executeWithoutResult(tx -> {
            tx.setRollbackOnly();
            book.record(placed(order, "ada-" + order), true);
            assertThat(events("ada-" + order)).as("written, not committed").isEqualTo(1);
        });

        assertThat(payments.countOf(order)).isZero();
        assertThat(events("ada-" + order)).isZero();
    }

    @Test
    void anEventIsGoneWhenTheInsertAfterItFails() {
        String email = "ada-" + UUID.randomUUID();
        assertThatThrownBy(() -> book.record(placed(null, email), true))
                .isInstanceOf(DataIntegrityViolationException.class);

        assertThat(events(email)).isZero();
    }

    private static OrderPlaced placed(String order, String email) {
        return new OrderPlaced(order, "lamp", 1999, "GOOD", email);
    }

    private int events(String email) {
        Integer count = jdbc.queryForObject(
                "SELECT COUNT(*) FROM outbox_event WHERE CAST(payload AS VARCHAR) LIKE ?",
                Integer.class,
                "%" + email + "%");
        return count == null ? 0 : count;
    }
}
