package outbox.migration;

import outbox.domain.EventName;

// snippet: event
@EventName("order.placed") // the only change
public record OrderPlaced(String orderId, String item) {}
// end
