package outbox.samples.shop.mail;

import java.time.Duration;
import org.springframework.stereotype.Component;
import outbox.samples.shop.ShopSettings;

/** A simulated mail server: takes everything but mail to {@value #POISON}. */
@Component
class MailServer {
    static final String POISON = "poison.example";

    private final Duration delay;

    MailServer(ShopSettings settings) {
        this.delay = settings.mailDelay();
    }

    void send(String address) throws InterruptedException {
        Thread.sleep(delay.toMillis());
        if (address.endsWith("@" + POISON)) {
            throw new UnknownMailboxException("there is no mailbox " + address);
        }
    }

    /** A retry is useless until someone corrects the address. */
    static final class UnknownMailboxException extends RuntimeException {
        UnknownMailboxException(String message) {
            super(message);
        }
    }
}
