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

/** Bulk operations: preview, start, control, results. */
final class OperationRoutes {
    private static final int PAGE = 50;

    private final ControlCenter center;
    private final AuditTrail trail;

    OperationRoutes(ControlCenter center, AuditTrail trail) {
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
                Route.of("GET", one, Permission.VIEW, "One operation and its progress", this::show),
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
                        "The result of each event, in processing order",
                        this::items,
                        "outcome",
                        "after",
                        "size")));
        if (!center.isReadOnly()) {
            routes.add(Route.of(
                    "POST",
                    "/apps/{app}/operations/dry-run",
                    Permission.ACT,
                    "Previews an operation: number of events and a sample; the body is that of a new operation",
                    this::dryRun));
            routes.add(Route.of(
                    "POST",
                    "/apps/{app}/operations",
                    Permission.ACT,
                    "Starts an operation: action (retry, skip, park, delete, redeliver), reason, and filter (as in the"
                            + " event list), ids or errorGroup; perSecond limits its rate; redeliver delivers copies of"
                            + " delivered events to one handler",
                    this::start));
            routes.add(Route.of("POST", one + "/pause", Permission.ACT, "Pauses an operation", this::pause));
            routes.add(Route.of("POST", one + "/resume", Permission.ACT, "Resumes an operation", this::resume));
            routes.add(Route.of(
                    "POST",
                    one + "/cancel",
                    Permission.ACT,
                    "Cancels an operation; completed actions are not undone",
                    this::cancel));
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
        int pace = exchange.body().get("perSecond") == null
                ? Operations.DEFAULT_PER_SECOND
                : exchange.wholeNumber("perSecond", 1, Operations.MAX_PER_SECOND);
        Operation operation = center.operations()
                .start(
                        exchange.path("app"),
                        request,
                        exchange.text("reason"),
                        exchange.operator().name(),
                        pace);
        trail.add(
                exchange,
                "operation.start",
                exchange.path("app"),
                operation.id(),
                "ok",
                operation.action().verb() + " " + (operation.handler() == null ? "" : "to " + operation.handler() + " ")
                        + (request.ids().isEmpty()
                                ? operation.filter()
                                : request.ids().size() + " selected events")
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
            throw new ApiException(400, "action must be retry, skip, park, delete or redeliver");
        }
        for (String name :
                List.of("filter", "ids", "errorGroup", "handler")) { // left out, it does not narrow the selection
            if (exchange.body().containsKey(name) && exchange.body().get(name) == null) {
                throw new ApiException(400, "'" + name + "' is null: leave it out, or select the events by it");
            }
        }
        String errorGroup = exchange.optionalText("errorGroup");
        if (errorGroup != null && errorGroup.isBlank()) {
            throw new ApiException(400, "'errorGroup' is blank: leave it out, or select the events by it");
        }
        return new OperationRequest(
                action, filter(exchange), ids(exchange), errorGroup, exchange.optionalText("handler"));
    }

    private static List<String> ids(Exchange exchange) throws IOException {
        Object given = exchange.body().get("ids");
        if (given == null) {
            return List.of();
        }
        if (!(given instanceof List<?> list) || list.isEmpty()) {
            throw new ApiException(400, "'ids' must be a list of at least one id");
        }
        List<String> ids = new ArrayList<>();
        for (Object id : list) {
            if (!(id instanceof String text) || text.isBlank()) {
                throw new ApiException(400, "'ids' contains something that is not an id");
            }
            ids.add(text);
        }
        return ids;
    }

    /** A JSON object with filter fields, or a query string as in the URL of the event list. */
    private static EventFilter filter(Exchange exchange) throws IOException {
        Object given = exchange.body().get("filter");
        if (given == null) {
            return EventFilter.ALL;
        }
        Map<?, ?> parts = given instanceof String query
                ? query(query)
                : given instanceof Map<?, ?> object ? object : Map.of("filter", given);
        parts.forEach((name, value) -> { // ignoring a part would select more events than intended
            if (!FilterText.NAMES.contains(name)) {
                throw new ApiException(
                        400, "a filter has no field '" + name + "'; fields are " + String.join(", ", FilterText.NAMES));
            }
            if (value == null || String.valueOf(value).isBlank()) {
                throw new ApiException(400, "the filter field '" + name + "' is blank: leave it out, or fill it in");
            }
        });
        return FilterText.read(name -> parts.get(name) == null ? null : String.valueOf(parts.get(name)), Instant.now());
    }

    private static Map<String, String> query(String text) {
        for (String part : text.split("&", -1)) {
            if (!text.isEmpty() && part.indexOf('=') < 1) {
                throw new ApiException(400, "the filter contains '" + part + "', which is not name=value");
            }
        }
        return FilterText.parts(text);
    }
}
