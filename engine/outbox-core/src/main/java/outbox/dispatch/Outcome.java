package outbox.dispatch;

import outbox.spi.Settlement;

/** What is to be written about one delivery. */
record Outcome(Delivery delivery, Settlement settlement) {
    boolean isSuccess() {
        return settlement instanceof Settlement.Done || settlement instanceof Settlement.Delete;
    }
}
