package outbox.registry;

import org.jspecify.annotations.Nullable;
import outbox.EventListener;

/** Finds the one listener of an event. Thread-safe. */
@FunctionalInterface
public interface ListenerRegistry {
    /** @return the listener, or {@code null} if nobody registered for this pair */
    @Nullable
    EventListener listenerFor(String aggregateType, String eventType);
}
