package outbox.spring.boot;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventHandlersBuilder;
import outbox.registry.ListenerRegistry;

/** What is left to do about handlers when all beans are there. */
final class HandlerSetup {
    private final LateListeners listeners;
    private final Supplier<EventHandlersBuilder> builder;
    private final Supplier<List<ListenerRegistry>> registries;
    private final UnaryOperator<EventListener> around;
    private final TrackerChoice trackers;
    private final Runnable lateCheck;

    /**
     * @param around what is put around listeners that are no handlers
     * @param lateCheck refuses handlers of an outbox that was made without knowing of any
     */
    HandlerSetup(
            LateListeners listeners,
            Supplier<EventHandlersBuilder> builder,
            Supplier<List<ListenerRegistry>> registries,
            UnaryOperator<EventListener> around,
            TrackerChoice trackers,
            Runnable lateCheck) {
        this.listeners = listeners;
        this.builder = builder;
        this.registries = registries;
        this.around = around;
        this.trackers = trackers;
        this.lateCheck = lateCheck;
    }

    /** Waits for the handlers when it is asked. */
    ListenerRegistry listeners() {
        return listeners;
    }

    EventHandlers complete() {
        EventHandlersBuilder handlers = builder.get();
        List<ListenerRegistry> fallbacks = registries.get();
        if (!fallbacks.isEmpty()) {
            handlers.fallback(new Fallbacks(fallbacks, around));
        }
        @Nullable EventConsumptionTracker tracker = trackers.choose(handlers.needsTracker());
        if (tracker != null) {
            handlers.tracker(tracker);
        }
        EventHandlers built = handlers.build();
        listeners.arrived(built);
        return built;
    }

    /** Where nothing is delivered. */
    void refuseLateHandlers() {
        lateCheck.run();
    }

    void close() {
        trackers.close();
    }

    /** The first registry that has a listener. */
    private record Fallbacks(List<ListenerRegistry> registries, UnaryOperator<EventListener> around)
            implements ListenerRegistry {
        @Override
        public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
            return first(registry -> registry.listenerFor(aggregateType, eventType));
        }

        @Override
        public @Nullable EventListener listenerFor(EventEnvelope event) {
            return first(registry -> registry.listenerFor(event));
        }

        private @Nullable EventListener first(Function<ListenerRegistry, @Nullable EventListener> found) {
            for (ListenerRegistry registry : registries) {
                EventListener listener = found.apply(registry);
                if (listener != null) {
                    return around.apply(listener);
                }
            }
            return null;
        }
    }
}
