package outbox.modulith.shop.orders;

import org.springframework.modulith.events.Externalized;

// snippet: event
@Externalized("orders::#{#this.orderId()}") // topic and key
public record OrderCompleted(String orderId, long cents) {}
// end
