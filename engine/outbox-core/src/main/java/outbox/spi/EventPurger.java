package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/** Deletes terminal rows (DONE and DEAD) that ended, or were created, before a time. */
@FunctionalInterface
public interface EventPurger {
    /**
     * Deletes one batch in the caller's transaction.
     *
     * @param limit the largest number of rows of this batch
     * @return how many rows were deleted
     */
    int purge(Connection conn, Instant before, int limit);

    /**
     * The time by the database's clock, from which retention is counted back: the clock of a node may be wrong.
     * Empty if this purger does not know it; the clock of the node counts then.
     */
    default Optional<Instant> now(Connection conn) throws SQLException {
        return Optional.empty();
    }

    /** Whether rows go that may not have been delivered, as it must be where nobody marks them (CDC). */
    default boolean purgesUndelivered() {
        return false;
    }
}
