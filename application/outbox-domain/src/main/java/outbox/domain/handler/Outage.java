package outbox.domain.handler;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.util.FailureLog;

/** Tells the log when the tracker goes away and when it is back, and not for every event in between. Thread-safe. */
final class Outage {
    private static final Logger LOG = System.getLogger(EventHandlers.class.getName());

    private final FailureLog log = new FailureLog(LOG, Level.WARNING, "the tracker of handlers");

    void failed(String what, Throwable cause) {
        log.failed(what, cause);
    }

    void worked() {
        log.succeeded();
    }
}
