package outbox.domain.bus;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.registry.ListenerRegistry;

/**
 * Writes a line to the log for every event and is done with it: what to begin with before there is a real transport. It
 * never logs a payload. As a registry it takes every type. Thread-safe.
 */
public final class LoggingTransport implements EventListener, ListenerRegistry {
    private static final Logger LOG = System.getLogger(LoggingTransport.class.getName());

    @Override
    public void onEvent(EventEnvelope event) {
        LOG.log(Level.INFO, () -> "event " + event + " of " + event.occurredAt() + " goes nowhere: logging transport");
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        return this;
    }
}
