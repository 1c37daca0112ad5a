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
 * Finds the endpoint of an event by the patterns and tenants of the endpoints themselves, so that nothing has to be
 * registered for each event type.
 *
 * <pre>{@code
 * WebhookRoutes routes = new WebhookRoutes(otherListeners)
 *     .add(client.publisher(crm))
 *     .add(client.publisher(warehouse));
 * }</pre>
 *
 * <p>One event goes to one endpoint, with the endpoint's own rate, concurrency limit and breaker: it is done or it is
 * not. Endpoints that want the same events of the same tenant are refused, by name. An event of a type that endpoints
 * want, but of none of their tenants, is done at once. Thread-safe.
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

    /** @param others asked first; what has a listener there is no webhook */
    public WebhookRoutes(ListenerRegistry others) {
        this.others = Objects.requireNonNull(others, "others");
    }

    /**
     * Adds an endpoint with its own rules.
     *
     * @return this
     * @throws IllegalArgumentException if there are events that this one and one added before would both want
     */
    public synchronized WebhookRoutes add(WebhookPublisher publisher) {
        for (Route route : routes) {
            if (route.endpoint().mayWantTheSameAs(publisher.endpoint())) {
                throw new IllegalArgumentException(
                        "the endpoints " + route.endpoint().name() + " and "
                                + publisher.endpoint().name() + " want the same events; one event goes to one listener:"
                                + " tell them apart by eventTypes or tenants, or register a listener that sends to both");
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
     * By the names alone, for those who have no event yet. Where the tenant decides, the listener finds the endpoint of each
     * event, but the engine can keep no limits for it: ask {@link #listenerFor(EventEnvelope)}, as the engine does.
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
