package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/** How a store claims due rows, by the database's clock, in order or not. Implementations are thread-safe. */
@FunctionalInterface
public interface ClaimStrategy {
    /**
     * Leases rows as {@link outbox.spi.LeasingOutboxStore#claim} or {@link outbox.spi.LeasingOutboxStore#claimOrdered}
     * promises. Runs in a transaction at {@link outbox.jdbc.SqlDialect#claimIsolation}; it is retried after a deadlock.
     */
    List<OutboxEvent> claim(Connection conn, ClaimRequest request) throws SQLException;
}
