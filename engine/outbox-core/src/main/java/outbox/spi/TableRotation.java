package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a partitioned outbox table in shape: makes partitions ahead of their time, and takes those away as a whole whose
 * rows have all ended long enough ago. It takes the place of an {@link EventPurger}.
 */
@FunctionalInterface
public interface TableRotation {
    /**
     * One round. What cannot be done now, because somebody uses the table or a partition still holds what must stay, is
     * left for the next round and said in the report.
     *
     * @param retention how long ago all rows of a partition must have ended
     * @param deadRetention how long ago those of them that are dead letters must have died
     * @throws SQLException if the database cannot be asked at all
     */
    Report rotate(ConnectionProvider connections, Instant now, Duration retention, Duration deadRetention)
            throws SQLException;

    /**
     * The time by the database's clock, by which days are made and retention is counted back. Empty if it is not
     * known; the clock of the node counts then.
     */
    default Optional<Instant> now(Connection conn) throws SQLException {
        return Optional.empty();
    }

    /** Whether rows go that may not have been delivered, as it must be where nobody marks them (CDC). */
    default boolean takesUndelivered() {
        return false;
    }

    /**
     * What one round did.
     *
     * @param created partitions that are there now for times to come
     * @param dropped partitions that are gone, with all rows they had
     * @param purged rows outside of the daily partitions that were deleted one by one
     * @param kept partitions whose time is over and which are still there, and what else could not be done, each with the
     *     reason
     */
    record Report(List<String> created, List<String> dropped, int purged, List<String> kept) {
        public Report {
            created = List.copyOf(created);
            dropped = List.copyOf(dropped);
            kept = List.copyOf(kept);
        }
    }
}
