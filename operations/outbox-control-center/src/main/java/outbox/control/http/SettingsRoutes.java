package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;

/** The configuration of the control center, read-only. */
final class SettingsRoutes {
    private final ControlCenter center;

    SettingsRoutes(ControlCenter center) {
        this.center = center;
    }

    List<Route> routes() {
        return List.of(Route.of(
                "GET", "/settings", Permission.ADMIN, "The configuration of the control center", this::settings));
    }

    private void settings(Exchange exchange) throws IOException, SQLException {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put(
                "version",
                Objects.requireNonNullElse(
                        SettingsRoutes.class.getPackage().getImplementationVersion(), "development"));
        body.put("readOnly", center.isReadOnly());
        body.put("traceLink", center.traceLink());
        body.put("masked", center.masked().stream().sorted().toList());
        body.put("mail", center.alerts().channels().hasMail());
        body.put(
                "applications",
                Stream.concat(
                                center.sources().stream()
                                        .map(source -> application(
                                                source.application().name(),
                                                source.application().flavor().database(),
                                                source.application().table(),
                                                null,
                                                source.sampler().problem())),
                                center.remotes().stream()
                                        .map(remote -> application(
                                                remote.application().name(),
                                                remote.latest().database(),
                                                null,
                                                remote.application().url().toString(),
                                                remote.problem())))
                        .toList());
        exchange.json(200, body);
    }

    private static Map<String, @Nullable Object> application(
            String name, String database, @Nullable String table, @Nullable String apiUrl, @Nullable String problem) {
        Map<String, @Nullable Object> application = new LinkedHashMap<>();
        application.put("name", name);
        application.put("database", database);
        application.put("table", table);
        application.put("apiUrl", apiUrl);
        application.put("problem", problem);
        return application;
    }
}
