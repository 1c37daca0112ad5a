package outbox.spi;

import java.time.Duration;

/** How a delivery ended, as it is to be written to its row. */
public sealed interface Settlement {
    String eventId();

    /** Delivered: status DONE. */
    record Done(String eventId) implements Settlement {}

    /** Delivered, and the row is not needed any more. */
    record Delete(String eventId) implements Settlement {}

    /** Failed: status RETRY, one attempt more, due again after {@code delay} by the database's clock. */
    record Retry(String eventId, Duration delay, String error) implements Settlement {}

    /** Given up: status DEAD. */
    record Dead(String eventId, String error) implements Settlement {}

    /** Not tried: the lease ends, attempts stay, due again after {@code delay}; with zero its due time stays as it is. */
    record Release(String eventId, Duration delay) implements Settlement {
        public Release(String eventId) {
            this(eventId, Duration.ZERO);
        }
    }
}
