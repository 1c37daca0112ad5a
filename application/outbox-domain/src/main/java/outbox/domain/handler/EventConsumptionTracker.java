package outbox.domain.handler;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Remembers which handler consumed which event, and how far the others are. Thread-safe.
 *
 * <p>{@link HandlerState#DONE} is final: whatever is recorded afterwards changes nothing, except {@link #reset}. So a
 * node that lost its lease cannot undo what its successor did.
 */
public interface EventConsumptionTracker {
    /** What is stored for this event, one entry per handler name; empty if nothing is. */
    List<HandlerProgress> progressOf(String eventId);

    /** Stores how calls ended, each in a way that survives whatever happens to the caller afterwards. */
    void record(Collection<HandlerOutcome> outcomes);

    /**
     * Marks the event consumed, in the transaction the thread is in: it is if and only if that commits. Whoever asks for
     * the same pair meanwhile, in another transaction, waits for this one to end.
     *
     * @return {@code false} if it was consumed already; then there is nothing to do
     * @throws IllegalStateException if no transaction is active
     * @throws UnsupportedOperationException if this tracker is not transactional
     */
    default boolean consume(String eventId, String handler) {
        throw new UnsupportedOperationException(getClass().getName()
                + " cannot take part in a transaction: transactional handlers need a tracker in the same database");
    }

    /** Whether {@link #consume} works. */
    default boolean isTransactional() {
        return false;
    }

    /** Forgets one handler's progress with an event: it is as if it had never been called. */
    void reset(String eventId, String handler);

    /**
     * Makes every handler that has not consumed the event due now, because an operator retries it. One that waits keeps its
     * attempts; one that gave up begins again with none.
     *
     * @param conn a transaction in the outbox's database; a tracker in the same database uses it, so that its change
     *     commits with the row's
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

    /** Names of handlers that failed on some event and have not consumed it since. */
    Set<String> openHandlers();

    /** @throws IllegalStateException if the storage cannot work as it is (no table, for one); says how to get it */
    default void verify() {}
}
