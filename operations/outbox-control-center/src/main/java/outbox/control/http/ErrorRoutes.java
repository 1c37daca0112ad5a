package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.source.FailureReader;
import outbox.control.source.FilterText;

/** Failures, grouped by cause and one by one. */
final class ErrorRoutes {
    private final ControlCenter center;

    ErrorRoutes(ControlCenter center) {
        this.center = center;
    }

    List<Route> routes() {
        return List.of(
                Route.of(
                        "GET",
                        "/apps/{app}/errors",
                        Permission.VIEW,
                        "The newest failures, grouped by class, message and top frame",
                        exchange -> exchange.json(
                                200, Sources.of(center, exchange).errors().read())),
                Route.of(
                        "GET",
                        "/apps/{app}/failures",
                        Permission.VIEW,
                        "Every failed delivery, newest first, by action, event type and time",
                        this::failures,
                        "action",
                        "type",
                        "from",
                        "to",
                        "cursor",
                        "size"));
    }

    private void failures(Exchange exchange) throws IOException, SQLException {
        Instant now = Instant.now();
        exchange.json(
                200,
                new FailureReader(Sources.of(center, exchange).application())
                        .page(
                                new FailureReader.Filter(
                                        exchange.query("action"),
                                        exchange.query("type"),
                                        FilterText.time("from", exchange.query("from"), now),
                                        FilterText.time("to", exchange.query("to"), now)),
                                exchange.query("cursor"),
                                exchange.query("size", 50)));
    }
}
