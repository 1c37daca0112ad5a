package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventHandlersBuilder;
import outbox.domain.handler.EventRoute;
import outbox.registry.ListenerRegistry;
import outbox.spi.BreakerState;

/** Completes the handlers after all beans were created. */
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
    private volatile @Nullable EventHandlers built;

    /**
     * @param outbox its name
     * @param around wraps listeners that are not handlers
     * @param lateCheck rejects handlers of an outbox that was created without delivery
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

    /** Waits for the handlers when used. */
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
        EventHandlers complete = handlers.build();
        listeners.arrived(complete);
        log(complete, out, fallbacks);
        built = complete;
        return complete;
    }

    /** Handlers and routes whose circuit breaker is not closed on this node. */
    Set<String> openBreakers() {
        EventHandlers known = built;
        return known == null
                ? Set.of()
                : known.handlers().stream()
                        .filter(handler -> handler.breaker() != BreakerState.CLOSED)
                        .map(EventHandlers.HandlerInfo::name)
                        .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Logs handlers and routes once, so that missing ones are noticed. */
    private void log(EventHandlers complete, List<EventRoute> out, List<ListenerRegistry> fallbacks) {
        List<String> routeNames = out.stream().map(EventRoute::name).toList();
        LOG.log(
                Level.INFO,
                "outbox '" + outbox + "' delivers to handlers "
                        + complete.handlers().stream()
                                .map(EventHandlers.HandlerInfo::name)
                                .filter(name -> !routeNames.contains(name))
                                .toList()
                        + " and routes " + out
                        + (fallbacks.isEmpty()
                                ? ""
                                : ", and other events to " + fallbacks.size() + " listener registries"));
    }

    /** For an outbox that does not deliver. */
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
