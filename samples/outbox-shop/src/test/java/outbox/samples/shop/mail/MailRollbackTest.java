package outbox.samples.shop.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.samples.shop.ShopSetup;
import outbox.samples.shop.events.PaymentTaken;

/** Spring's JDBC client: a mail and its event exist both or not at all. */
@ShopSetup
class MailRollbackTest {
    @Autowired
    MailService mail;

    @Autowired
    TransactionTemplate transactions;

    @Autowired
    JdbcTemplate jdbc;

    @Test
    void aMailThatIsRolledBackLeavesNoEvent() {
        String order = "ord_" + UUID.randomUUID();
        transactions.executeWithoutResult(tx -> {
            tx.setRollbackOnly();
            send(order, "ada@mail.example");
            assertThat(rows(order)).as("written, not committed").containsExactly(1, 1);
        });

        assertThat(rows(order)).containsExactly(0, 0);
    }

    @Test
    void anEventIsGoneWhenTheInsertAfterItFails() {
        String order = "ord_" + UUID.randomUUID();
        String tooLong = "a".repeat(200) + "@mail.example";
        assertThatThrownBy(() -> transactions.executeWithoutResult(tx -> send(order, tooLong)))
                .isInstanceOf(DataIntegrityViolationException.class);

        assertThat(rows(order)).containsExactly(0, 0);
    }

    private void send(String order, String address) {
        try {
            mail.on(new PaymentTaken(order, 1999, address));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Integer[] rows(String order) {
        return new Integer[] {
            jdbc.queryForObject("SELECT COUNT(*) FROM shop_mail WHERE order_id = ?", Integer.class, order),
            jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE aggregate_id = ?", Integer.class, order)
        };
    }
}
