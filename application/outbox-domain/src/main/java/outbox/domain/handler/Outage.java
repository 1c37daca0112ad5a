package outbox.domain.handler;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tells the log when the tracker goes away and when it is back, and not for every event in between. Thread-safe. */
final class Outage {
    private static final Logger LOG = System.getLogger(EventHandlers.class.getName());

    private final AtomicBoolean away = new AtomicBoolean();

    void failed(String what, Throwable cause) {
        if (away.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, what + "; until the tracker works again this is logged at DEBUG", cause);
        } else {
            LOG.log(Level.DEBUG, what, cause);
        }
    }

    void worked() {
        if (away.get() && away.compareAndSet(true, false)) {
            LOG.log(Level.INFO, "the tracker of handlers works again");
        }
    }
}
