package outbox.dispatch;

import outbox.spi.Settlement;

/** A delivery and what is to be written to its row. */
record Outcome(Delivery delivery, Settlement settlement) {}
