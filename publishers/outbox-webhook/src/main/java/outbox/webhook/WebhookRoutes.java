package outbox.webhook;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.listener.ControlledListener;
import outbox.registry.ListenerRegistry;

/**
 * Selects the endpoint of an event by the endpoints' own patterns and tenants, so that event types need no
 * registration.
 *
 * <pre>{@code
 * WebhookRoutes routes = new WebhookRoutes(otherListeners)
 *     .add(client.publisher(crm))
 *     .add(client.publisher(warehouse));
 * }</pre>
 *
 * <p>Each event is sent to one endpoint, with its rate limit, concurrency limit and circuit breaker. Endpoints that
 * match the same events of the same tenant are rejected. An event that matches the types of an endpoint but none of its
 * tenants is done at once. Thread-safe.
 */
public final class WebhookRoutes implements ListenerRegistry {
    private static final EventListener NOBODY = event -> {};

    private final ListenerRegistry others;
    private final List<Route> routes = new CopyOnWriteArrayList<>();
    private final AsyncEventListener byTenant = this::send;

    private record Route(WebhookPublisher publisher, ControlledListener control) {
        WebhookEndpoint endpoint() {
            return publisher.endpoint();
        }
    }

    public WebhookRoutes() {
        this((aggregateType, eventType) -> null);
    }

    /** @param others takes precedence; events with a listener there are not sent as webhooks */
    public WebhookRoutes(ListenerRegistry others) {
        this.others = Objects.requireNonNull(others, "others");
    }

    /**
     * Adds an endpoint with its own rules.
     *
     * @return this
     * @throws IllegalArgumentException if there are events that match both this endpoint and an earlier one
     */
    public synchronized WebhookRoutes add(WebhookPublisher publisher) {
        for (Route route : routes) {
            if (route.endpoint().mayWantTheSameAs(publisher.endpoint())) {
                throw new IllegalArgumentException(
                        "the endpoints " + route.endpoint().name() + " and "
                                + publisher.endpoint().name() + " match the same events; an event has one listener:"
                                + " separate them by eventTypes or tenants, or register a listener that sends to both");
            }
        }
        routes.add(new Route(publisher, publisher.controlled().build()));
        return this;
    }

    @Override
    public @Nullable EventListener listenerFor(EventEnvelope event) {
        EventListener other = others.listenerFor(event);
        if (other != null) {
            return other;
        }
        EventListener found = null;
        for (Route route : routes) {
            if (route.endpoint().takesType(event.eventType())) {
                if (route.endpoint().takesTenant(event.tenantId())) {
                    return route.control();
                }
                found = NOBODY;
            }
        }
        return found;
    }

    /**
     * Lookup by names alone, without an event. If the tenant decides, the listener selects the endpoint of each event,
     * but the engine cannot apply limits: use {@link #listenerFor(EventEnvelope)}, as the engine does.
     */
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
            default -> byTenant;
        };
    }

    private CompletionStage<?> send(EventEnvelope event) {
        for (Route route : routes) {
            if (route.endpoint().takes(event)) {
                return route.publisher().onEventAsync(event);
            }
        }
        return CompletableFuture.completedFuture(null);
    }
}
