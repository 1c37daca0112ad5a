package outbox.samples.shop.mail;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.samples.shop.events.MailSent;
import outbox.samples.shop.events.PaymentSettled;
import outbox.samples.shop.events.PaymentTaken;

/** Tells customers how their orders ended. */
@Service
public class MailService {
    private final JdbcClient jdbc;
    private final MailServer server;
    private final DomainEventPublisher events;

    MailService(JdbcClient jdbc, MailServer server, DomainEventPublisher events) {
        this.jdbc = jdbc;
        this.server = server;
        this.events = events;
    }

    /**
     * Runs in a transaction that also records that this event was consumed, so there is one row and one event for each
     * payment. The mail itself leaves for another system: if the process dies before the commit, it is sent again.
     */
    @EventHandler(
            name = "mail.send",
            transactional = true,
            retry = "shop",
            deadOn = MailServer.UnknownMailboxException.class)
    void on(PaymentSettled payment) throws InterruptedException {
        String address = addressFor(payment);
        server.send(address);
        events.publish(new MailSent(payment.orderId(), address));
        jdbc.sql("INSERT INTO shop_mail (order_id, address, subject) VALUES (?, ?, ?)")
                .params(
                        payment.orderId(),
                        address,
                        payment instanceof PaymentTaken ? "Thank you for your order" : "Your card was refused")
                .update();
    }

    private String addressFor(PaymentSettled payment) {
        return jdbc.sql("SELECT address FROM shop_mail_correction WHERE order_id = ?")
                .param(payment.orderId())
                .query(String.class)
                .optional()
                .orElse(payment.email());
    }

    /** What a person does about a dead letter: mail for this order goes to this address from now on. */
    @Transactional
    public void correctAddress(String orderId, String address) {
        jdbc.sql("DELETE FROM shop_mail_correction WHERE order_id = ?")
                .param(orderId)
                .update();
        jdbc.sql("INSERT INTO shop_mail_correction (order_id, address) VALUES (?, ?)")
                .params(orderId, address)
                .update();
    }
}
