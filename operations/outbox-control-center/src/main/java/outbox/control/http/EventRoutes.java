package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.act.EventAction;
import outbox.control.act.EventActions;
import outbox.control.source.ConsumptionReader;
import outbox.control.source.EventDetail;
import outbox.control.source.EventFilter;
import outbox.control.source.EventReader;
import outbox.control.source.FilterText;

/** Events: lists, details, payloads and actions. */
final class EventRoutes {
    private static final String[] LIST_QUERY = {
        "state",
        "id",
        "type",
        "aggregateType",
        "aggregateId",
        "tenant",
        "error",
        "from",
        "to",
        "order",
        "cursor",
        "size"
    };

    private static final String NOT_READABLE =
            Json.MASK + " is not valid JSON and cannot be masked: read it from the table";

    private final ControlCenter center;
    private final AuditTrail trail;

    EventRoutes(ControlCenter center, AuditTrail trail) {
        this.center = center;
        this.trail = trail;
    }

    List<Route> routes() {
        List<Route> routes = new ArrayList<>(List.of(
                Route.of("GET", "/apps/{app}/events", Permission.VIEW, "A page of events", this::list, LIST_QUERY),
                Route.of(
                        "GET",
                        "/apps/{app}/events/{id}",
                        Permission.VIEW,
                        "One event, without its payload",
                        this::show),
                Route.of(
                        "GET",
                        "/apps/{app}/events/{id}/neighbours",
                        Permission.VIEW,
                        "Events of the same aggregate, and what blocks this one",
                        this::neighbours),
                Route.of(
                        "GET",
                        "/apps/{app}/events/{id}/attempts",
                        Permission.VIEW,
                        "Failed deliveries",
                        this::attempts),
                Route.of(
                        "GET",
                        "/apps/{app}/events/{id}/handlers",
                        Permission.VIEW,
                        "Progress of each handler",
                        this::handlers),
                Route.of(
                        "GET",
                        "/apps/{app}/events/{id}/payload",
                        Permission.PAYLOAD,
                        "The masked payload; viewing it is audited",
                        this::payload)));
        if (!center.isReadOnly()) {
            for (EventAction action : EventAction.OF_ONE_EVENT) {
                boolean delete = action == EventAction.DELETE;
                routes.add(Route.of(
                        delete ? "DELETE" : "POST",
                        "/apps/{app}/events/{id}" + (delete ? "" : "/" + action.verb()),
                        Permission.ACT,
                        action.verb() + " an event; the body may have a reason",
                        exchange -> act(exchange, action)));
            }
        }
        return routes;
    }

    private void list(Exchange exchange) throws IOException, SQLException {
        String order = exchange.query("order");
        if (order != null && !order.equals("oldest") && !order.equals("newest")) {
            throw new ApiException(400, "order must be newest or oldest, not '" + order + "'");
        }
        exchange.json(
                200,
                source(exchange)
                        .reader()
                        .page(
                                filter(exchange),
                                !"oldest".equals(order),
                                exchange.query("cursor"),
                                exchange.query("size", 50)));
    }

    static EventFilter filter(Exchange exchange) {
        return FilterText.read(exchange::query, Instant.now());
    }

    private void show(Exchange exchange) throws IOException, SQLException {
        EventDetail detail = event(exchange);
        Map<String, String> headers = new LinkedHashMap<>();
        detail.headers().forEach((name, value) -> headers.put(name, center.isMasked(name) ? Json.MASK : value));
        exchange.json(
                200,
                new EventDetail(
                        detail.event(),
                        detail.lockedAt(),
                        detail.error(),
                        headers,
                        detail.payloadBytes(),
                        detail.payloadPlace(),
                        detail.seq()));
    }

    /** Checks the application's own table: other applications may share the tables of attempts and handlers. */
    private EventDetail event(Exchange exchange) throws SQLException {
        EventDetail detail = source(exchange).reader().event(exchange.path("id"));
        if (detail == null) {
            throw new ApiException(404, "there is no event " + exchange.path("id") + "; it may have been purged");
        }
        return detail;
    }

    private void neighbours(Exchange exchange) throws IOException, SQLException {
        EventReader reader = source(exchange).reader();
        exchange.json(200, reader.neighbours(event(exchange).event()));
    }

    private void attempts(Exchange exchange) throws IOException, SQLException {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        List<?> attempts =
                source(exchange).attempts().of(event(exchange).event().id());
        body.put("recorded", attempts != null);
        body.put("attempts", attempts == null ? List.of() : attempts);
        exchange.json(200, body);
    }

    private void handlers(Exchange exchange) throws IOException, SQLException {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        List<?> handlers = new ConsumptionReader(source(exchange).application())
                .of(event(exchange).event().id());
        body.put("recorded", handlers != null);
        body.put("handlers", handlers == null ? List.of() : handlers);
        exchange.json(200, body);
    }

    private void payload(Exchange exchange) throws IOException, SQLException {
        String stored = source(exchange).reader().payload(exchange.path("id"));
        if (stored == null) {
            throw new ApiException(404, "there is no event " + exchange.path("id"));
        }
        trail.add(exchange, "payload.view", exchange.path("app"), exchange.path("id"), "ok", null);
        String masked = Json.masked(stored, center::isMasked);
        exchange.json(200, Map.of("payload", masked == null ? NOT_READABLE : masked, "json", masked != null));
    }

    private void act(Exchange exchange, EventAction action) throws IOException, SQLException {
        String reason = exchange.reason();
        ControlCenter.Source source = source(exchange);
        event(exchange);
        boolean done = EventActions.perform(source.application(), action, exchange.path("id"));
        trail.add(
                exchange,
                "event." + action.verb(),
                exchange.path("app"),
                exchange.path("id"),
                done ? "ok" : "refused",
                reason);
        if (!done) {
            throw new ApiException(
                    409,
                    "event " + exchange.path("id") + " cannot be " + action.participle() + " now: "
                            + EventActions.refusal(
                                    source.application(), event(exchange).event()));
        }
        exchange.json(200, Map.of("id", exchange.path("id"), "action", action.verb()));
    }

    private ControlCenter.Source source(Exchange exchange) {
        return Sources.of(center, exchange);
    }
}
