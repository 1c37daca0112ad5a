package outbox.spi;

import java.sql.Connection;
import java.time.Instant;

/**
 * A purger that keeps dead letters longer than delivered rows. One that only implements {@link EventPurger} deletes both by
 * the same time.
 */
public interface RetentionPurger extends EventPurger {
    /**
     * Deletes one batch in the caller's transaction.
     *
     * @param limit the largest number of rows of this batch
     * @return how many rows were deleted
     */
    int purge(Connection conn, Cutoff cutoff, int limit);

    @Override
    default int purge(Connection conn, Instant before, int limit) {
        return purge(conn, new Cutoff(before, before, false), limit);
    }

    /**
     * Which rows have ended long enough ago.
     *
     * @param doneBefore delivered rows that ended before this time are deleted
     * @param deadBefore dead letters that died, or were parked, before this time are deleted
     * @param keepsBlocking whether dead letters that block what follows them in their aggregate stay whatever their age:
     *     all that have an aggregate id and are not {@linkplain LeasingOutboxStore#PARKED parked}
     */
    record Cutoff(Instant doneBefore, Instant deadBefore, boolean keepsBlocking) {}
}
