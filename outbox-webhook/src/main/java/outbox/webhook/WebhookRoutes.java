package outbox.webhook;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dispatch.ControlledListener;
import outbox.registry.ListenerRegistry;

/**
 * Finds the endpoint of an event by the patterns and tenants of the endpoints themselves, so that nothing has to be
 * registered for each event type.
 *
 * <pre>{@code
 * WebhookRoutes routes = new WebhookRoutes(otherListeners)
 *     .add(client.publisher(crm))
 *     .add(client.publisher(warehouse));
 * }</pre>
 *
 * <p>One event goes to one endpoint: it is done or it is not. Endpoints that want the same events of the same tenant are
 * refused when the first such event comes, by name. Where endpoints share an event type and differ by tenant, the engine
 * limits what they have in flight together, and has no circuit breaker for each. Thread-safe.
 */
public final class WebhookRoutes implements ListenerRegistry {
    private final ListenerRegistry others;
    private final List<Route> routes = new CopyOnWriteArrayList<>();
    private final Map<List<Route>, EventListener> shared = new ConcurrentHashMap<>();

    private record Route(WebhookPublisher publisher, ControlledListener control) {
        WebhookEndpoint endpoint() {
            return publisher.endpoint();
        }
    }

    public WebhookRoutes() {
        this((aggregateType, eventType) -> null);
    }

    /** @param others asked first; what has a listener there is no webhook */
    public WebhookRoutes(ListenerRegistry others) {
        this.others = Objects.requireNonNull(others, "others");
    }

    /** Adds an endpoint with its own rules. @return this */
    public WebhookRoutes add(WebhookPublisher publisher) {
        routes.add(new Route(publisher, publisher.controlled().build()));
        return this;
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        EventListener other = others.listenerFor(aggregateType, eventType);
        if (other != null) {
            return other;
        }
        List<Route> candidates = routes.stream()
                .filter(route -> route.endpoint().takesType(eventType))
                .toList();
        return switch (candidates.size()) {
            case 0 -> null;
            case 1 -> candidates.get(0).control();
            default -> shared.computeIfAbsent(candidates, WebhookRoutes::byTenant);
        };
    }

    private static EventListener byTenant(List<Route> routes) {
        for (Route route : routes) {
            for (Route other : routes) {
                if (!route.equals(other) && haveTenantInCommon(route.endpoint(), other.endpoint())) {
                    throw new IllegalStateException(
                            "the endpoints " + route.endpoint().name() + " and "
                                    + other.endpoint().name() + " want the same events; one event goes to one listener:"
                                    + " tell them apart by eventTypes or tenants, or register a listener that sends to both");
                }
            }
        }
        return ControlledListener.of(
                        new ByTenant(routes.stream().map(Route::publisher).toList()))
                .name(routes.stream()
                        .map(route -> route.endpoint().name())
                        .collect(Collectors.joining("-", "webhook-", "")))
                .concurrency(routes.stream()
                        .mapToInt(route -> route.endpoint().concurrency())
                        .sum())
                .deadOn(EndpointDisabledException.class)
                .deadOn(UnsendableEventException.class)
                .build();
    }

    private static boolean haveTenantInCommon(WebhookEndpoint one, WebhookEndpoint other) {
        return one.tenants().isEmpty()
                || other.tenants().isEmpty()
                || one.tenants().stream().anyMatch(other.tenants()::contains);
    }

    private record ByTenant(List<WebhookPublisher> publishers) implements AsyncEventListener {
        @Override
        public CompletionStage<?> onEventAsync(EventEnvelope event) {
            for (WebhookPublisher publisher : publishers) {
                if (publisher.endpoint().takes(event)) {
                    return publisher.onEventAsync(event);
                }
            }
            return CompletableFuture.completedFuture(null); // nobody wants it
        }
    }
}
