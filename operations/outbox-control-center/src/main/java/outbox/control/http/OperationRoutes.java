package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.act.EventAction;
import outbox.control.act.Operation;
import outbox.control.act.OperationRequest;
import outbox.control.act.Operations;
import outbox.control.source.EventFilter;
import outbox.control.source.FilterText;

/** Bulk operations, from the dry run to the result of each event. */
final class OperationRoutes {
    private static final int PAGE = 50;

    private final ControlCenter center;
    private final Trail trail;

    OperationRoutes(ControlCenter center, Trail trail) {
        this.center = center;
        this.trail = trail;
    }

    List<Route> routes() {
        String one = "/apps/{app}/operations/{id}";
        List<Route> routes = new ArrayList<>(List.of(
                Route.of(
                        "GET",
                        "/apps/{app}/operations",
                        Permission.VIEW,
                        "Operations, newest first",
                        this::list,
                        "before",
                        "size"),
                Route.of("GET", one, Permission.VIEW, "One operation and how far it is", this::show),
                Route.of(
                        "GET",
                        one + "/aftermath",
                        Permission.VIEW,
                        "The state its events are in now: delivered, dead, pending, gone",
                        this::aftermath),
                Route.of(
                        "GET",
                        one + "/items",
                        Permission.VIEW,
                        "What became of each event, in the order of the work",
                        this::items,
                        "outcome",
                        "after",
                        "size")));
        if (!center.isReadOnly()) {
            routes.add(Route.of(
                    "POST",
                    "/apps/{app}/operations/dry-run",
                    Permission.ACT,
                    "How many events an operation would be about, and some of them; the body is that of a new operation",
                    this::dryRun));
            routes.add(Route.of(
                    "POST",
                    "/apps/{app}/operations",
                    Permission.ACT,
                    "A new operation: action (retry, skip, park, delete), reason, and filter (as in the list of events),"
                            + " ids or errorGroup; perSecond limits its pace",
                    this::start));
            routes.add(Route.of("POST", one + "/pause", Permission.ACT, "Pauses it", this::pause));
            routes.add(Route.of("POST", one + "/resume", Permission.ACT, "Goes on with it", this::resume));
            routes.add(Route.of("POST", one + "/cancel", Permission.ACT, "Ends it; what is done stays", this::cancel));
        }
        return routes;
    }

    private void list(Exchange exchange) throws IOException, SQLException {
        int size = size(exchange);
        List<Operation> operations = center.operations().list(exchange.path("app"), exchange.query("before"), size);
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("operations", operations);
        body.put(
                "next",
                operations.size() < size
                        ? null
                        : operations.get(operations.size() - 1).id());
        exchange.json(200, body);
    }

    private static int size(Exchange exchange) {
        return Math.max(1, Math.min(Operations.MAX_PAGE, exchange.query("size", PAGE)));
    }

    private void show(Exchange exchange) throws IOException, SQLException {
        exchange.json(200, operation(exchange));
    }

    private void aftermath(Exchange exchange) throws IOException, SQLException {
        Sources.of(center, exchange);
        exchange.json(200, center.operations().aftermath(operation(exchange)));
    }

    private void items(Exchange exchange) throws IOException, SQLException {
        Operation operation = operation(exchange);
        int size = size(exchange);
        List<Operation.Item> items =
                center.operations().items(operation.id(), exchange.query("outcome"), exchange.query("after"), size);
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("items", items);
        body.put(
                "next", items.size() < size ? null : items.get(items.size() - 1).eventId());
        exchange.json(200, body);
    }

    private void dryRun(Exchange exchange) throws IOException, SQLException {
        Sources.of(center, exchange);
        exchange.json(200, center.operations().dryRun(exchange.path("app"), request(exchange)));
    }

    private void start(Exchange exchange) throws IOException, SQLException {
        Sources.of(center, exchange);
        OperationRequest request = request(exchange);
        Object pace = exchange.body().get("perSecond");
        if (pace != null && !(pace instanceof Long)) {
            throw new ApiException(400, "'perSecond' must be a number");
        }
        Operation operation = center.operations()
                .start(
                        exchange.path("app"),
                        request,
                        exchange.text("reason"),
                        exchange.operator().name(),
                        pace instanceof Long number
                                ? (int) Math.min(number, Integer.MAX_VALUE)
                                : Operations.DEFAULT_PER_SECOND);
        trail.add(
                exchange,
                "operation.start",
                exchange.path("app"),
                operation.id(),
                "ok",
                operation.action().verb() + " "
                        + (request.ids().isEmpty()
                                ? operation.filter()
                                : request.ids().size() + " picked events")
                        + (request.errorGroup() == null ? "" : " error group " + request.errorGroup()) + ": "
                        + operation.reason());
        exchange.json(201, operation);
    }

    private void pause(Exchange exchange) throws IOException, SQLException {
        changed(exchange, "pause", center.operations().pause(operation(exchange).id()));
    }

    private void resume(Exchange exchange) throws IOException, SQLException {
        changed(exchange, "resume", center.operations().resume(operation(exchange)));
    }

    private void cancel(Exchange exchange) throws IOException, SQLException {
        changed(
                exchange,
                "cancel",
                center.operations().cancel(operation(exchange).id()));
    }

    private void changed(Exchange exchange, String what, boolean done) throws IOException, SQLException {
        String id = exchange.path("id");
        trail.add(exchange, "operation." + what, exchange.path("app"), id, done ? "ok" : "refused", null);
        Operation now = operation(exchange);
        if (!done) {
            throw new ApiException(
                    409,
                    "operation " + id + " is " + now.state().name().toLowerCase(Locale.ROOT) + ": it cannot " + what);
        }
        exchange.json(200, now);
    }

    /** @throws ApiException 404 if there is none, or it belongs to another application */
    private Operation operation(Exchange exchange) throws SQLException {
        Operation operation = center.operations().find(exchange.path("app"), exchange.path("id"));
        if (operation == null) {
            throw new ApiException(404, "there is no operation " + exchange.path("id"));
        }
        return operation;
    }

    private static OperationRequest request(Exchange exchange) throws IOException {
        EventAction action;
        try {
            action = EventAction.valueOf(exchange.text("action").toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new ApiException(400, "action is retry, skip, park or delete");
        }
        List<String> ids = new ArrayList<>();
        Object given = exchange.body().get("ids");
        if (given instanceof List<?> list) {
            list.forEach(id -> ids.add(String.valueOf(id)));
        } else if (given != null) {
            throw new ApiException(400, "'ids' must be a list");
        }
        return new OperationRequest(action, filter(exchange), ids, exchange.optionalText("errorGroup"));
    }

    /** An object with the parts of a filter, or a query as in the URL of the list. */
    private static EventFilter filter(Exchange exchange) throws IOException {
        Object given = exchange.body().get("filter");
        if (given == null) {
            return EventFilter.ALL;
        }
        Map<?, ?> parts = given instanceof String query
                ? FilterText.parts(query)
                : given instanceof Map<?, ?> object ? object : Map.of("filter", given);
        for (Object name : parts.keySet()) {
            if (!FilterText.NAMES.contains(name)) { // left out, the operation would be about more than was meant
                throw new ApiException(
                        400,
                        "a filter has no '" + name + "'; it is an object or a query of "
                                + String.join(", ", FilterText.NAMES));
            }
        }
        return FilterText.read(name -> parts.get(name) == null ? null : String.valueOf(parts.get(name)), Instant.now());
    }
}
