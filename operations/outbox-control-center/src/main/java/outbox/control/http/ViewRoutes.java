package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.view.SavedView;

/** Saved filters: the user's own, and those shared by operators. */
final class ViewRoutes {
    private final ControlCenter center;
    private final AuditTrail trail;

    ViewRoutes(ControlCenter center, AuditTrail trail) {
        this.center = center;
        this.trail = trail;
    }

    List<Route> routes() {
        List<Route> routes = new ArrayList<>(
                List.of(Route.of("GET", "/apps/{app}/views", Permission.VIEW, "Saved views", this::list)));
        if (!center.isReadOnly()) {
            routes.add(Route.of(
                    "POST",
                    "/apps/{app}/views",
                    Permission.VIEW,
                    "Saves a view: name, filter and shared, which requires the role operator",
                    this::add));
            routes.add(Route.of(
                    "DELETE",
                    "/apps/{app}/views/{id}",
                    Permission.VIEW,
                    "Deletes one of the user's own views",
                    this::remove));
        }
        return routes;
    }

    private void list(Exchange exchange) throws IOException, SQLException {
        exchange.json(
                200,
                Map.of(
                        "views",
                        center.views()
                                .of(exchange.path("app"), exchange.operator().name())));
    }

    private void add(Exchange exchange) throws IOException, SQLException {
        boolean shared = exchange.flag("shared");
        if (shared && !exchange.operator().may(Permission.ACT, exchange.path("app"))) {
            trail.add(exchange, "view.share", exchange.path("app"), null, "denied", null);
            throw new ApiException(403, "only operators can share views");
        }
        SavedView view = center.views()
                .add(
                        exchange.path("app"),
                        exchange.text("name"),
                        exchange.operator().name(),
                        shared,
                        Objects.requireNonNullElse(exchange.optionalText("filter"), ""));
        trail.add(exchange, "view.save", exchange.path("app"), view.id(), "ok", view.name());
        exchange.json(201, view);
    }

    private void remove(Exchange exchange) throws IOException, SQLException {
        String id = exchange.path("id");
        if (!center.views().remove(exchange.path("app"), id, exchange.operator().name())) {
            throw new ApiException(404, "there is no view " + id + " of yours");
        }
        trail.add(exchange, "view.remove", exchange.path("app"), id, "ok", null);
        exchange.json(200, Map.of("id", id));
    }
}
