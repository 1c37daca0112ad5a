package outbox.samples.shop.orders;

/** The answer to an order; kept with its key for those who ask again. */
public record PlacedOrder(String orderId) {}
