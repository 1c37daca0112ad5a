package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.remote.RemoteApplication;
import outbox.control.remote.RemoteSources;

/**
 * Applications that announce themselves. Whoever is admin of the application's name may do so; the URL must be one that the
 * configuration allows. Without allowed URLs there are no such routes.
 */
final class AnnouncementRoutes {
    private static final String PATH = "/apps/{app}/announcement";
    private static final int MAX_URL = 500;
    /** Encrypted, it fits into its column. */
    private static final int MAX_TOKEN = 2000;

    private final RemoteSources sources;
    private final AuditTrail trail;

    AnnouncementRoutes(ControlCenter center, AuditTrail trail) {
        this.sources = center.remoteSources();
        this.trail = trail;
    }

    List<Route> routes() {
        return sources.takesAnnouncements()
                ? List.of(
                        Route.of(
                                "PUT",
                                PATH,
                                Permission.ADMIN,
                                "Adds an application over HTTP, or replaces its announcement: apiUrl of the control center"
                                        + " embedded in it, an API token of that, and the application's name there",
                                this::announce),
                        Route.of(
                                "DELETE",
                                PATH,
                                Permission.ADMIN,
                                "Removes an announced application; it can announce itself again",
                                this::forget))
                : List.of();
    }

    private void announce(Exchange exchange) throws IOException, SQLException {
        String name = exchange.path("app");
        RemoteApplication application =
                RemoteApplication.of(name, limited(exchange, "apiUrl", MAX_URL), limited(exchange, "token", MAX_TOKEN));
        String nameThere = exchange.optionalText("application");
        if (nameThere != null) {
            application = application.withNameThere(nameThere);
        }
        if (sources.isConfigured(name)) {
            throw new ApiException(
                    409,
                    "'" + name
                            + "' is in the configuration of this control center; remove it there, or announce another"
                            + " name");
        }
        sources.announce(application, exchange.operator().name());
        trail.add(
                exchange,
                "application.announce",
                name,
                cut(application.url().toString()),
                "ok",
                "its name there: " + application.nameThere());
        exchange.json(200, Map.of("name", name, "apiUrl", application.url().toString()));
    }

    private void forget(Exchange exchange) throws IOException, SQLException {
        String name = exchange.path("app");
        if (!sources.forget(name)) {
            throw new ApiException(404, "no application '" + name + "' was announced");
        }
        trail.add(exchange, "application.forget", name, null, "ok", null);
        exchange.json(200, Map.of("name", name));
    }

    private static String limited(Exchange exchange, String name, int length) throws IOException {
        String text = exchange.text(name);
        if (text.length() > length) {
            throw new ApiException(400, "'" + name + "' can have at most " + length + " characters");
        }
        return text;
    }

    /** What the column for targets can hold. */
    private static String cut(String text) {
        return text.length() <= 256 ? text : text.substring(0, 256);
    }
}
