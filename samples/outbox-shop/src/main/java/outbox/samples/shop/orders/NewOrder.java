package outbox.samples.shop.orders;

import org.jspecify.annotations.Nullable;
import outbox.samples.shop.payments.Card;

/** What a customer orders. Invalid values are rejected before anything is stored. */
public record NewOrder(String item, long cents, String card, String email) {
    private static final long MAX_CENTS = 10_000_00;
    private static final int MAX_TEXT = 100;

    public NewOrder {
        item = text("item", item);
        email = email(email);
        card = Card.of(text("card", card)).name();
        if (cents <= 0 || cents > MAX_CENTS) {
            throw new IllegalArgumentException("cents must be between 1 and " + MAX_CENTS + ": " + cents);
        }
    }

    /** @throws IllegalArgumentException if it is not an address */
    public static String email(@Nullable String email) {
        String address = text("email", email);
        if (!address.matches("[^@\\s]+@[^@\\s]+")) {
            throw new IllegalArgumentException("email must look like name@host: " + address);
        }
        return address;
    }

    private static String text(String name, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException(name + " is missing");
        }
        if (value.length() > MAX_TEXT) {
            throw new IllegalArgumentException(name + " has " + value.length() + " characters; at most " + MAX_TEXT);
        }
        return value.strip();
    }
}
