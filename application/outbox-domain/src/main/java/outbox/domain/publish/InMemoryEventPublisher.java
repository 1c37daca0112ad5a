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
 * Passes events to their listeners at once, without a table, for development and tests. Events are still serialized, so
 * that serialization problems show up. Exceptions of listeners are propagated; nothing is retried. Events without a
 * listener are dropped. Thread-safe.
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

    /** No transaction is needed. */
    @Override
    public boolean isInTransaction() {
        return true;
    }
}
