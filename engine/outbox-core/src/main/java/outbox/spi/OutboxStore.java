package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;

/**
 * The outbox table. Every method works on the caller's connection and in the caller's transaction, and never closes
 * it. Implementations are thread-safe.
 *
 * <p>A store that also implements {@link LeasingOutboxStore} gets batched, fenced settlement and delivers without
 * duplicates on many nodes; one that implements only this interface is served row by row.
 */
public interface OutboxStore {
    /** Inserts one event with status NEW. */
    void insertNew(Connection conn, EventEnvelope event);

    /** Inserts all events, or none of them. */
    default void insertBatch(Connection conn, List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            insertNew(conn, event);
        }
    }

    /** @return how many rows changed; 0 if the row was DONE already */
    int markDone(Connection conn, String eventId);

    /** Counts an attempt and sets the time of the next one. */
    int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error);

    int markDead(Connection conn, String eventId, @Nullable String error);

    /** Rows in NEW or RETRY that are due at {@code now} and older than {@code skipRecent}, oldest first. */
    List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit);

    /**
     * Takes rows for {@code ownerId}: those {@link #pollPending} would return that nobody has locked, or whose lock is
     * older than {@code lockExpiry}. The default does not lock and is right for one node only.
     */
    default List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        return pollPending(conn, now, skipRecent, limit);
    }

    /** Dead rows, oldest first; a null filter matches everything. */
    default List<OutboxEvent> queryDead(
            Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit) {
        throw unsupported("queryDead");
    }

    /** Sets a DEAD row back to NEW with no attempts. */
    default int replayDead(Connection conn, String eventId) {
        throw unsupported("replayDead");
    }

    /** How many rows are DEAD; a null filter matches everything. */
    default int countDead(Connection conn, @Nullable String eventType) {
        throw unsupported("countDead");
    }

    private UnsupportedOperationException unsupported(String method) {
        return new UnsupportedOperationException(
                getClass().getName() + " does not implement OutboxStore." + method + ": dead letters need it");
    }
}
