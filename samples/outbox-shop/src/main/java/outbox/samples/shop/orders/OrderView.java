package outbox.samples.shop.orders;

/** An order as the page sees it. {@code payment} is OPEN, TAKEN or REFUSED. */
public record OrderView(
        String id, String item, long cents, String card, String email, String payment, boolean mailed) {}
