package outbox.control.http;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.remote.RemoteCall;
import outbox.control.remote.RemoteException;
import outbox.control.remote.RemoteSource;

/**
 * Forwards admitted requests about an application over HTTP to its own control center, which answers them within the
 * rights of the user and of the token. Changes, payloads and exports are audited on both sides.
 */
final class Forwarding {
    private static final String APPLICATION = "/apps/{app}/";
    /** These belong to this control center, however the application is reached; live streams share its polls. */
    private static final List<String> OWN = List.of(
            APPLICATION + "alerts", APPLICATION + "announcement", APPLICATION + "views", APPLICATION + "stream");

    private static final String OVERVIEW = APPLICATION + "overview";
    private static final String STATUS = APPLICATION + "status";
    private static final String EXPORT = APPLICATION + "export";

    private final ControlCenter center;
    private final AuditTrail trail;

    Forwarding(ControlCenter center, AuditTrail trail) {
        this.center = center;
        this.trail = trail;
    }

    boolean concerns(Route route, Exchange exchange) {
        return route.path().startsWith(APPLICATION)
                && OWN.stream().noneMatch(route.path()::startsWith)
                && center.remote(exchange.path("app")) != null;
    }

    /** @param path of the request, below {@code /api/v1} */
    void forward(Route route, Exchange exchange, String path) throws IOException, SQLException {
        RemoteSource remote = center.remote(exchange.path("app"));
        if (remote == null) { // removed meanwhile
            throw new ApiException(404, "there is no application '" + exchange.path("app") + "'");
        }
        if (exchange.request().getHeader(RemoteCall.FORWARDED) != null) {
            throw new ApiException(
                    508,
                    "this control center reaches '" + remote.application().name()
                            + "' over HTTP itself; use the API URL of the application");
        }
        RemoteCall call = new RemoteCall(
                route.method(),
                target(route, exchange, remote) + query(route, exchange),
                route.isChange() ? body(exchange) : null,
                OnBehalf.headers(exchange.operator(), exchange.path("app")));
        if (!route.isChange()
                && (route.permission() == Permission.PAYLOAD || route.path().equals(EXPORT))) {
            note(exchange, route, path, "started", null); // before the first byte leaves
        }
        RemoteCall.Answer answer;
        try {
            answer = remote.send(call);
        } catch (RemoteException e) {
            if (!answerFromLatest(route, exchange, remote, String.valueOf(e.getMessage()))) {
                throw new ApiException(e.status(), String.valueOf(e.getMessage()));
            }
            return;
        }
        if (exchange.isBegun()) {
            note(
                    exchange,
                    route,
                    path,
                    outcome(answer.status()),
                    "status " + answer.status() + " of " + remote.application().url());
        }
        pass(answer, exchange);
    }

    private void note(Exchange exchange, Route route, String path, String outcome, @Nullable String detail)
            throws SQLException {
        trail.add(exchange, "forward " + route.method(), exchange.path("app"), path, outcome, detail);
    }

    private static String outcome(int status) {
        return status < 400 ? "ok" : status < 500 ? "refused" : "failed";
    }

    /** The route with its values, encoded again: nothing in them can lead to another path. */
    private static String target(Route route, Exchange exchange, RemoteSource remote) {
        StringBuilder target = new StringBuilder();
        for (String part : route.path().substring(1).split("/", -1)) {
            target.append('/');
            if (part.equals("{app}")) {
                target.append(remote.application().nameThere());
            } else if (part.startsWith("{")) {
                String value = exchange.path(part.substring(1, part.length() - 1));
                if (value.equals(".") || value.equals("..")) {
                    throw new ApiException(400, "'" + value + "' is not a name");
                }
                target.append(encoded(value));
            } else {
                target.append(part);
            }
        }
        return target.toString();
    }

    /** Only the parameters the route knows. */
    private static String query(Route route, Exchange exchange) {
        StringBuilder query = new StringBuilder();
        for (String name : route.query()) {
            String value = exchange.query(name);
            if (value != null) {
                query.append(query.isEmpty() ? '?' : '&')
                        .append(name)
                        .append('=')
                        .append(encoded(value));
            }
        }
        return query.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static byte @Nullable [] body(Exchange exchange) throws IOException {
        byte[] body = exchange.rawBody();
        return body.length == 0 ? null : body;
    }

    private static void pass(RemoteCall.Answer answer, Exchange exchange) throws IOException {
        exchange.response().setStatus(answer.status());
        exchange.response().setContentType(answer.type());
        exchange.response().setCharacterEncoding("UTF-8");
        if (answer.fileName() != null) {
            exchange.response().setHeader("Content-Disposition", "attachment; filename=\"" + answer.fileName() + "\"");
        }
        exchange.response().getOutputStream().write(answer.body());
    }

    /** The pages that show whether the application is away must work while it is. */
    private static boolean answerFromLatest(Route route, Exchange exchange, RemoteSource remote, String problem)
            throws IOException {
        RemoteSource.Snapshot latest = remote.latest();
        Map<String, @Nullable Object> sample = latest.sample();
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        if (route.path().equals(OVERVIEW)) {
            body.put("application", remote.application().name());
            body.put("database", latest.database());
            body.put("table", null);
            body.put("deliveredFromLog", latest.isDeliveredFromLog());
            body.put("problem", problem);
            body.put("samples", sample == null ? List.of() : List.of(sample));
        } else if (route.path().equals(STATUS)) {
            body.put("away", true);
            body.put("problem", problem);
            body.put("sampledAt", latest.sampledAt());
            body.put("dead", sample == null ? null : sample.get("dead"));
            body.put("heldBack", sample == null ? null : sample.get("heldBack"));
            body.put("holds", sample == null || sample.get("holds") == null ? List.of() : sample.get("holds"));
        } else {
            return false;
        }
        exchange.json(200, body);
        return true;
    }
}
