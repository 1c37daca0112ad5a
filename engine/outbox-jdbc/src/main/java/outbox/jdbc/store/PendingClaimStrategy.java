package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import outbox.model.OutboxEvent;

/** How a store claims rows by given times. Implementations are thread-safe. */
@FunctionalInterface
public interface PendingClaimStrategy {
    /** Locks rows as {@link outbox.spi.OutboxStore#claimPending} promises, oldest first; otherwise a claim like any other. */
    List<OutboxEvent> claim(
            Connection conn, String owner, Instant now, Instant lockExpiry, Duration skipRecent, int limit)
            throws SQLException;
}
