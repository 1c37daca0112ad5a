package outbox.control.http;

import java.util.List;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;

/** What fails, by its cause. */
final class ErrorRoutes {
    private final ControlCenter center;

    ErrorRoutes(ControlCenter center) {
        this.center = center;
    }

    List<Route> routes() {
        return List.of(Route.of(
                "GET",
                "/apps/{app}/errors",
                Permission.VIEW,
                "The newest failures, grouped by class, message and top frame",
                exchange ->
                        exchange.json(200, Sources.of(center, exchange).errors().read())));
    }
}
