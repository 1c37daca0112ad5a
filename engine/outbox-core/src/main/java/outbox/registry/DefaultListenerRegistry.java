package outbox.registry;

import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import outbox.AggregateType;
import outbox.EventListener;
import outbox.EventType;

/** Listeners by aggregate type and event type, in memory. Thread-safe. */
public final class DefaultListenerRegistry implements ListenerRegistry {
    private final ConcurrentMap<Route, EventListener> listeners = new ConcurrentHashMap<>();

    /** Registers for events of {@link AggregateType#GLOBAL}. */
    public DefaultListenerRegistry register(String eventType, EventListener listener) {
        return register(AggregateType.GLOBAL.name(), eventType, listener);
    }

    /** Registers for events of {@link AggregateType#GLOBAL}. */
    public DefaultListenerRegistry register(EventType eventType, EventListener listener) {
        return register(eventType.name(), listener);
    }

    public DefaultListenerRegistry register(AggregateType aggregateType, EventType eventType, EventListener listener) {
        return register(aggregateType.name(), eventType.name(), listener);
    }

    public DefaultListenerRegistry register(AggregateType aggregateType, String eventType, EventListener listener) {
        return register(aggregateType.name(), eventType, listener);
    }

    public DefaultListenerRegistry register(String aggregateType, EventType eventType, EventListener listener) {
        return register(aggregateType, eventType.name(), listener);
    }

    /** @throws IllegalStateException if the pair has a listener already */
    public DefaultListenerRegistry register(String aggregateType, String eventType, EventListener listener) {
        Route route = new Route(aggregateType, eventType);
        EventListener present = listeners.putIfAbsent(route, Objects.requireNonNull(listener, "listener"));
        if (present != null) {
            throw new IllegalStateException(route + " already has the listener " + present
                    + "; one event goes to one listener, use an interceptor for what concerns all events");
        }
        return this;
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        return listeners.get(new Route(aggregateType, eventType));
    }

    private record Route(String aggregateType, String eventType) {
        Route {
            Objects.requireNonNull(aggregateType, "aggregateType");
            Objects.requireNonNull(eventType, "eventType");
        }

        @Override
        public String toString() {
            return aggregateType + ":" + eventType;
        }
    }
}
