package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The handler progress of an application's events, as far as operators change it. By default it is in the application's
 * outbox-idempotency table, if there is one. Thread-safe.
 */
@FunctionalInterface
public interface HandlerRetries {
    /**
     * Makes every handler that has not completed the event due now; otherwise a retried event would wait for the stored
     * time of the next attempt.
     *
     * @param conn the connection of the transaction that makes the row due
     */
    void retryNow(Connection conn, String eventId) throws SQLException;
}
