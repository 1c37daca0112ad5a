package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
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
import outbox.domain.handler.EventRoute;
import outbox.registry.ListenerRegistry;

/** What is left to do about handlers when all beans are there. */
final class HandlerSetup {
    private static final Logger LOG = System.getLogger(HandlerSetup.class.getName());

    private final LateListeners listeners;
    private final String outbox;
    private final Supplier<List<EventRoute>> routes;
    private final Supplier<EventHandlersBuilder> builder;
    private final Supplier<List<ListenerRegistry>> registries;
    private final UnaryOperator<EventListener> around;
    private final TrackerChoice trackers;
    private final Runnable lateCheck;

    /**
     * @param outbox its name
     * @param around what is put around listeners that are no handlers
     * @param lateCheck refuses handlers of an outbox that was made without knowing of any
     */
    HandlerSetup(
            LateListeners listeners,
            String outbox,
            Supplier<List<EventRoute>> routes,
            Supplier<EventHandlersBuilder> builder,
            Supplier<List<ListenerRegistry>> registries,
            UnaryOperator<EventListener> around,
            TrackerChoice trackers,
            Runnable lateCheck) {
        this.listeners = listeners;
        this.outbox = outbox;
        this.routes = routes;
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
        List<EventRoute> out = routes.get();
        out.forEach(handlers::route);
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
        log(built, out, fallbacks);
        return built;
    }

    /** Where events go is said once, so that what is missing is noticed. */
    private void log(EventHandlers built, List<EventRoute> out, List<ListenerRegistry> fallbacks) {
        List<String> routeNames = out.stream().map(EventRoute::name).toList();
        LOG.log(
                Level.INFO,
                "outbox '" + outbox + "' delivers to handlers "
                        + built.handlers().stream()
                                .map(EventHandlers.HandlerInfo::name)
                                .filter(name -> !routeNames.contains(name))
                                .toList()
                        + " and routes " + out
                        + (fallbacks.isEmpty() ? "" : ", and other events to " + fallbacks.size() + " registries"));
    }

    /** Where nothing is delivered. */
    void refuseLateHandlers() {
        lateCheck.run();
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

        @Override
        public void onReplay(Connection conn, String eventId) throws SQLException {
            for (ListenerRegistry registry : registries) {
                registry.onReplay(conn, eventId);
            }
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
