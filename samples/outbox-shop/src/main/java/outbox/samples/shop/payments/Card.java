package outbox.samples.shop.payments;

import java.util.Arrays;

/** Test cards, by what happens to them. */
public enum Card {
    /** Is charged at once. */
    GOOD,
    /** Times out twice, then is charged. */
    FLAKY,
    /** Is refused by its bank: an answer, not a failure. */
    DECLINED,
    /** Belongs to a bank that is out of service until someone switches it on. */
    BANK_OUT;

    public static Card of(String name) {
        return Arrays.stream(values())
                .filter(card -> card.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("card must be one of " + Arrays.toString(values()) + ": " + name));
    }
}
