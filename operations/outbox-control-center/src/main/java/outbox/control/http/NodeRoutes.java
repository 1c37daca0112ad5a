package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.source.NodeReader;

/** Nodes and their handlers. Nodes apply changes at their next heartbeat. */
final class NodeRoutes {
    /** A node that was silent for less than this counts as alive. */
    private static final Duration SILENT = Duration.ofMinutes(1);

    private final ControlCenter center;
    private final AuditTrail trail;

    NodeRoutes(ControlCenter center, AuditTrail trail) {
        this.center = center;
        this.trail = trail;
    }

    List<Route> routes() {
        List<Route> routes = new ArrayList<>(List.of(
                Route.of("GET", "/apps/{app}/nodes", Permission.VIEW, "Nodes and their heartbeats", this::nodes),
                Route.of(
                        "GET",
                        "/apps/{app}/handlers",
                        Permission.VIEW,
                        "Handlers of the nodes, and what operators paused",
                        this::handlers)));
        if (!center.isReadOnly()) {
            routes.add(Route.of(
                    "DELETE",
                    "/apps/{app}/nodes/{id}",
                    Permission.ACT,
                    "Removes a silent node from the list",
                    this::forget));
            routes.add(Route.of(
                    "POST",
                    "/apps/{app}/handlers/{name}/pause",
                    Permission.ACT,
                    "Pauses a handler; its events stay in the table",
                    exchange -> pause(exchange, true)));
            routes.add(Route.of(
                    "POST",
                    "/apps/{app}/handlers/{name}/resume",
                    Permission.ACT,
                    "Resumes a handler",
                    exchange -> pause(exchange, false)));
            routes.add(Route.of(
                    "POST",
                    "/apps/{app}/handlers/{name}/enable",
                    Permission.ACT,
                    "Enables a webhook endpoint that disabled itself",
                    exchange -> command(exchange, "enable", true)));
            routes.add(Route.of(
                    "POST",
                    "/apps/{app}/handlers/{name}/test",
                    Permission.ACT,
                    "Sends a test event to a webhook endpoint, from one node",
                    exchange -> command(exchange, "test", false)));
            routes.add(Route.of(
                    "POST",
                    "/apps/{app}/handlers/{name}/rotate",
                    Permission.ADMIN,
                    "Rotates the secret of a webhook endpoint in the application's secret store, on one node",
                    exchange -> command(exchange, "rotate", false)));
        }
        return routes;
    }

    private void nodes(Exchange exchange) throws IOException, SQLException {
        NodeReader nodes = Sources.of(center, exchange).nodes();
        exchange.json(200, Map.of("known", nodes.isKnown(), "nodes", nodes.nodes()));
    }

    private void handlers(Exchange exchange) throws IOException, SQLException {
        NodeReader nodes = Sources.of(center, exchange).nodes();
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("known", nodes.isKnown());
        body.put("handlers", nodes.handlers());
        body.put("switches", nodes.switches());
        body.put("commands", nodes.commands());
        exchange.json(200, body);
    }

    private void forget(Exchange exchange) throws IOException, SQLException {
        ControlCenter.Source source = Sources.of(center, exchange);
        String node = name(exchange, "id");
        boolean gone = source.nodes().forget(node, SILENT);
        trail.add(exchange, "node.forget", source.application().name(), node, gone ? "ok" : "refused", null);
        if (!gone) {
            throw new ApiException(404, "there is no silent node '" + node + "'");
        }
        exchange.json(200, Map.of("node", node));
    }

    private void pause(Exchange exchange, boolean paused) throws IOException, SQLException {
        ControlCenter.Source source = Sources.of(center, exchange);
        String handler = name(exchange, "name");
        String reason = exchange.reason();
        boolean known = isKnown(source, handler);
        if (known) {
            source.nodes()
                    .setPaused(handler, paused, reason, exchange.operator().name());
        }
        trail.add(
                exchange,
                paused ? "handler.pause" : "handler.resume",
                source.application().name(),
                handler,
                known ? "ok" : "refused",
                reason);
        answer(exchange, handler, known);
    }

    private void command(Exchange exchange, String action, boolean everywhere) throws IOException, SQLException {
        ControlCenter.Source source = Sources.of(center, exchange);
        String handler = name(exchange, "name");
        boolean known = isKnown(source, handler);
        if (known) {
            source.nodes()
                    .command(action, handler, everywhere, exchange.operator().name());
        }
        trail.add(exchange, "webhook." + action, source.application().name(), handler, known ? "ok" : "refused", null);
        answer(exchange, handler, known);
    }

    private static void answer(Exchange exchange, String handler, boolean known) throws IOException {
        if (!known) {
            throw new ApiException(404, "there is no handler '" + handler + "'");
        }
        exchange.json(200, Map.of("handler", handler));
    }

    private static boolean isKnown(ControlCenter.Source source, String handler) throws SQLException {
        return source.nodes().handlers().stream().anyMatch(one -> one.name().equals(handler))
                || source.nodes().switches().stream()
                        .anyMatch(one -> one.handler().equals(handler));
    }

    /** Names of handlers and nodes may contain slashes and spaces: they are Base64 in the path. */
    private static String name(Exchange exchange, String part) {
        return Names.decode(exchange.path(part));
    }
}
