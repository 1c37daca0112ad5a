package outbox.domain.handler;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.domain.handler.Handler.Takes;
import outbox.util.EventTypePattern;

/**
 * Maps events to handlers, including types that were unknown at startup, because routes use patterns. Handlers of the
 * same event share one listener. Thread-safe after its listeners were created.
 */
final class Routing {
    private final List<Handler> handlers;
    private final Map<String, List<Handler>> byType;
    private final List<Handler> routes;
    private final Map<List<String>, EventListener> listeners = new ConcurrentHashMap<>(); // by the names of handlers
    private Function<List<Handler>, EventListener> maker = members -> {
        throw new IllegalStateException("no listeners yet");
    };

    Routing(List<Handler> handlers, Map<String, List<Handler>> byType, List<Handler> routes) {
        this.handlers = List.copyOf(handlers);
        this.byType = Map.copyOf(byType);
        this.routes = routes;
    }

    List<Handler> handlers() {
        return handlers;
    }

    void listeners(Function<List<Handler>, EventListener> maker) {
        this.maker = maker;
    }

    List<Handler> of(String eventType) {
        List<Handler> known = byType.get(eventType);
        if (known != null || routes.isEmpty()) {
            return known == null ? List.of() : known;
        }
        return routes.stream()
                .filter(route -> ((Takes.Envelopes) route.takes()).take(eventType))
                .toList();
    }

    @Nullable
    EventListener listenerFor(String eventType) {
        List<Handler> members = of(eventType);
        return members.isEmpty() ? null : listenerOf(members);
    }

    EventListener listenerOf(List<Handler> members) {
        return listeners.computeIfAbsent(members.stream().map(Handler::name).toList(), names -> maker.apply(members));
    }

    /** Names of types, or the patterns of a route. */
    Set<String> typesOf(Handler handler) {
        if (handler.takes() instanceof Takes.Envelopes envelopes) {
            return envelopes.eventTypes().stream()
                    .map(EventTypePattern::toString)
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        return byType.entrySet().stream()
                .filter(entry -> entry.getValue().contains(handler))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
