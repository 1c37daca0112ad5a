package outbox.domain.handler;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Stores the progress of each handler with each event. Thread-safe.
 *
 * <p>{@link HandlerState#DONE} is final: later outcomes change nothing, except {@link #reset}. So a node that lost its
 * lease cannot undo the work of another node.
 */
public interface EventConsumptionTracker {
    /** The stored progress of this event, one entry per handler name; may be empty. */
    List<HandlerProgress> progressOf(String eventId);

    /**
     * The stored progress of several events, by event id; an event without any may be missing. Override it where one
     * question is cheaper than many: events that are not delivered for the first time in a while are read like this.
     */
    default Map<String, List<HandlerProgress>> progressOf(Collection<String> eventIds) {
        Map<String, List<HandlerProgress>> progress = new HashMap<>();
        eventIds.forEach(eventId -> progress.put(eventId, progressOf(eventId)));
        return progress;
    }

    /** Stores outcomes durably. */
    void record(Collection<HandlerOutcome> outcomes);

    /**
     * Marks the event as done for this handler, in the current transaction. A concurrent call for the same pair in
     * another transaction waits for this one to end.
     *
     * @return {@code false} if it was done before; then there is nothing to do
     * @throws IllegalStateException if no transaction is active
     * @throws UnsupportedOperationException if this tracker is not transactional
     */
    default boolean consume(String eventId, String handler) {
        throw new UnsupportedOperationException(getClass().getName()
                + " is not transactional: transactional handlers need a tracker in the same database");
    }

    /** Whether {@link #consume} works. */
    default boolean isTransactional() {
        return false;
    }

    /** Deletes the progress of one handler with an event, as if it had never been called. */
    void reset(String eventId, String handler);

    /**
     * Makes every handler that has not completed the event due now, because an operator retries it. A waiting handler
     * keeps its attempts; the attempts of a dead one are reset.
     *
     * @param conn a connection with a transaction in the outbox's database; a tracker in the same database uses it, so
     *     that its change commits with that of the row
     */
    default void retryNow(Connection conn, String eventId) throws SQLException {
        record(progressOf(eventId).stream()
                .filter(progress -> progress.state().isOpen())
                .map(progress -> new HandlerOutcome(
                        eventId,
                        progress.handler(),
                        HandlerState.RETRY,
                        progress.state() == HandlerState.DEAD ? 0 : progress.attempts(),
                        Duration.ZERO,
                        null))
                .toList());
    }

    /** Names of handlers with failed and not yet completed events. */
    Set<String> openHandlers();

    /**
     * @throws IllegalStateException if the storage is not usable, for instance without a table; the message says how to
     *     fix it
     */
    default void verify() {}
}
