package outbox.migration;

import outbox.domain.EventName;

// snippet: event
@EventName("mail.requested") // the arguments of the call
public record MailRequested(String orderId, String item) {}
// end
