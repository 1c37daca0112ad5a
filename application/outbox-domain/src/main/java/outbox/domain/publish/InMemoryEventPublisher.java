package outbox.domain.publish;

import java.util.List;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;
import outbox.domain.type.EventEnvelopes;
import outbox.registry.ListenerRegistry;

/**
 * Brings events to their listeners at once, without a table: for development and tests. Events are serialized all the
 * same, so what would not survive the table fails here too. What a listener throws reaches the caller; nothing is
 * retried. Events nobody listens to are dropped. Thread-safe.
 */
public final class InMemoryEventPublisher implements DomainEventPublisher {
    private final EventEnvelopes envelopes;
    private final ListenerRegistry listeners;

    public InMemoryEventPublisher(EventEnvelopes envelopes, ListenerRegistry listeners) {
        this.envelopes = Objects.requireNonNull(envelopes, "envelopes");
        this.listeners = Objects.requireNonNull(listeners, "listeners");
    }

    @Override
    public void publishAll(List<?> events, DomainEventContext context) {
        for (EventEnvelope event : envelopes.envelopes(events, context)) {
            EventListener listener = listeners.listenerFor(event);
            if (listener != null) {
                deliver(event, listener);
            }
        }
    }

    private static void deliver(EventEnvelope event, EventListener listener) {
        try {
            listener.onEvent(event);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("a listener failed for " + event + ": " + e.getMessage(), e);
        }
    }

    /** It needs none. */
    @Override
    public boolean isInTransaction() {
        return true;
    }
}
