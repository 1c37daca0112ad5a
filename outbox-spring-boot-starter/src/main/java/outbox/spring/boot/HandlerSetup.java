package outbox.spring.boot;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventHandlersBuilder;
import outbox.registry.ListenerRegistry;

/** What is left to do about handlers when all beans are there. */
final class HandlerSetup {
    private final LateListeners listeners;
    private final Supplier<EventHandlersBuilder> builder;
    private final Supplier<List<ListenerRegistry>> registries;
    private final TrackerChoice trackers;

    HandlerSetup(
            LateListeners listeners,
            Supplier<EventHandlersBuilder> builder,
            Supplier<List<ListenerRegistry>> registries,
            TrackerChoice trackers) {
        this.listeners = listeners;
        this.builder = builder;
        this.registries = registries;
        this.trackers = trackers;
    }

    EventHandlers complete() {
        EventHandlersBuilder handlers = builder.get();
        List<ListenerRegistry> fallbacks = registries.get();
        if (!fallbacks.isEmpty()) {
            handlers.fallback((aggregateType, eventType) -> {
                for (ListenerRegistry registry : fallbacks) {
                    var listener = registry.listenerFor(aggregateType, eventType);
                    if (listener != null) {
                        return listener;
                    }
                }
                return null;
            });
        }
        @Nullable EventConsumptionTracker tracker = trackers.choose(handlers.needsTracker());
        if (tracker != null) {
            handlers.tracker(tracker);
        }
        EventHandlers built = handlers.build();
        listeners.arrived(built);
        return built;
    }

    void close() {
        trackers.close();
    }
}
