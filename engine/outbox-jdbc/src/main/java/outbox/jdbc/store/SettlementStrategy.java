package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import outbox.spi.Settlement;

/**
 * How a store writes outcomes and renews leases. Every change is fenced: it happens only to a pending row whose {@code
 * locked_by} is the owner. On a connection in auto-commit mode an implementation starts its own transaction.
 * Implementations are thread-safe.
 */
public interface SettlementStrategy {
    /**
     * A release with a delay sets {@code locked_at} to the current time and {@code locked_by} to null: this
     * distinguishes a row that was due before from a scheduled one. All other outcomes set both to null.
     *
     * @param settlements at least one
     * @return the ids that {@code owner} no longer leases; these were not changed
     */
    Set<String> settle(Connection conn, String owner, List<Settlement> settlements) throws SQLException;

    /**
     * @param eventIds at least one
     * @return the ids that {@code owner} no longer leases
     */
    Set<String> renew(Connection conn, String owner, Collection<String> eventIds) throws SQLException;

    /** Which of these rows are locked by another transaction; none if the database cannot tell. */
    default Set<String> locked(Connection conn, Collection<String> eventIds) throws SQLException {
        return Set.of();
    }
}
