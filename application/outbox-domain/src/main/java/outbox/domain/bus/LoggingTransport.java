package outbox.domain.bus;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.registry.ListenerRegistry;

/**
 * Logs every event and marks it as done, as a placeholder for a real transport. It never logs payloads. As a registry
 * it accepts every type. Thread-safe.
 */
public final class LoggingTransport implements EventListener, ListenerRegistry {
    private static final Logger LOG = System.getLogger(LoggingTransport.class.getName());

    @Override
    public void onEvent(EventEnvelope event) {
        LOG.log(
                Level.INFO,
                () -> "event " + event + " of " + event.occurredAt() + " was logged and not sent: logging transport");
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        return this;
    }
}
