package outbox.cdc;

import java.util.Map;

/** A position in the database's log. Positions of the same database are comparable. */
interface LogPosition {
    /**
     * Whether a record with this offset is at or after this position, so that everything committed before it was read.
     */
    boolean isReachedBy(Map<String, ?> sourceOffset);
}
