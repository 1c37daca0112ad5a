package outbox.samples.shop.payments;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;
import outbox.samples.shop.ShopSettings;

/** A simulated card company. Like real ones it takes a key with each charge, and charges once per key. */
@Component
public class CardCompany {
    private static final int TIMEOUTS_OF_A_FLAKY_CARD = 2;

    private final Duration delay;
    private final Map<String, Integer> timeouts = new ConcurrentHashMap<>();
    private volatile boolean bankOut = true;

    CardCompany(ShopSettings settings) {
        this.delay = settings.cardDelay();
    }

    /** Whether the bank of {@link Card#BANK_OUT} is out of service. */
    public boolean isBankOut() {
        return bankOut;
    }

    public void setBankOut(boolean out) {
        bankOut = out;
    }

    /** @return whether the card was charged; {@code false} if its bank refused */
    boolean charge(String key, Card card) throws InterruptedException {
        Thread.sleep(delay.toMillis());
        return switch (card) {
            case GOOD -> true;
            case DECLINED -> false;
            case FLAKY -> {
                int calls = timeouts.merge(key, 1, Integer::sum);
                if (calls <= TIMEOUTS_OF_A_FLAKY_CARD) {
                    throw new CardCompanyException("the card company did not answer (call " + calls + ")");
                }
                timeouts.remove(key);
                yield true;
            }
            case BANK_OUT -> {
                if (bankOut) {
                    throw new CardCompanyException("the bank of this card is out of service");
                }
                yield true;
            }
        };
    }

    /** No answer, or none that says whether the card was charged. */
    static final class CardCompanyException extends RuntimeException {
        CardCompanyException(String message) {
            super(message);
        }
    }
}
