package outbox.migration;

import outbox.domain.handler.EventHandler;

// snippet: handler
public class MailHandler {
    private final Mailer mailer;

    MailHandler(Mailer mailer) {
        this.mailer = mailer;
    }

    @EventHandler(name = "mail")
    void confirm(MailRequested event) {
        mailer.confirm(event.orderId(), event.item());
    }
}
// end
