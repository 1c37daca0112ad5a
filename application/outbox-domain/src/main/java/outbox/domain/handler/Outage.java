package outbox.domain.handler;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.util.FailureLog;

/** Logs when the tracker becomes unavailable and when it is back, instead of every failure in between. Thread-safe. */
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
