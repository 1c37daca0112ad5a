package outbox.control.source;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * How far the handlers of an application are with each event, as far as an operator changes it. By default it is in the
 * application's table of outbox-idempotency, if there is one. Thread-safe.
 */
@FunctionalInterface
public interface HandlerProgress {
    /**
     * Makes every handler that has not consumed the event due now; otherwise a retried event would wait for the time that
     * is stored there.
     *
     * @param conn the transaction that makes the row due
     */
    void retryNow(Connection conn, String eventId) throws SQLException;
}
