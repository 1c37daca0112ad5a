package outbox.spi;

import java.sql.Connection;
import java.time.Instant;

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

    /** Whether rows go that may not have been delivered, as it must be where nobody marks them (CDC). */
    default boolean purgesUndelivered() {
        return false;
    }
}
