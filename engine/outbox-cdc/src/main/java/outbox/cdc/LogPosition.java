package outbox.cdc;

import java.util.Map;

/** A place in the database's log. Places of the same database can be compared. */
interface LogPosition {
    /** Whether a record with this offset, and so everything committed before it, lies at or behind this place. */
    boolean isReachedBy(Map<String, ?> sourceOffset);
}
