package outbox.control.http;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.FirstAdmin;
import outbox.control.access.Operator;

/**
 * The control center as one servlet: the API under {@code /api/v1}, the web page elsewhere. Map it to a prefix such as
 * {@code /outbox/*} and enable asynchronous support. Access is denied by default: every route requires a permission,
 * and denied requests are audited.
 *
 * <pre>{@code
 * new ControlCenterServlet(center, request -> operatorOf(request.getUserPrincipal()))
 * }</pre>
 */
public final class ControlCenterServlet extends HttpServlet {
    private static final Logger LOG = System.getLogger(ControlCenterServlet.class.getName());
    private static final String API = "/api/v1";
    private static final int MISDIRECTED = 421;
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private final transient ControlCenter center;
    private final transient OperatorSource operators;
    private final transient AuditTrail trail;
    private final transient SameOrigin origin;
    private final transient Forwarding forwarding;
    private final transient List<Route> routes = new ArrayList<>();

    /** For an application that authenticates users itself. */
    public ControlCenterServlet(ControlCenter center, OperatorSource operators) {
        this(center, operators, null, null);
    }

    /** For a control center with its own users and tokens. The server that hosts the servlet handles the login. */
    public ControlCenterServlet(
            ControlCenter center,
            OperatorSource operators,
            @Nullable Accounts accounts,
            @Nullable FirstAdmin firstAdmin) {
        this.center = Objects.requireNonNull(center, "center");
        this.operators = Objects.requireNonNull(operators, "operators");
        this.trail = new AuditTrail(center.audit());
        this.origin = new SameOrigin(center.publicUrl());
        this.forwarding = new Forwarding(center, trail);
        routes.addAll(new HealthRoutes(center).routes());
        routes.addAll(new SessionRoutes(center, operators, accounts).routes());
        routes.addAll(new ApplicationRoutes(center).routes());
        routes.addAll(new AnnouncementRoutes(center, trail).routes());
        routes.addAll(new LiveRoutes(center).routes());
        routes.addAll(new HistoryRoutes(center).routes());
        routes.addAll(new ExportRoutes(center, trail).routes());
        routes.addAll(new StatusRoutes(center).routes());
        routes.addAll(new DoctorRoutes(center).routes());
        routes.addAll(new EventRoutes(center, trail).routes());
        routes.addAll(new ErrorRoutes(center).routes());
        routes.addAll(new OperationRoutes(center, trail).routes());
        routes.addAll(new ViewRoutes(center, trail).routes());
        routes.addAll(new CloneRoutes(center, trail).routes());
        routes.addAll(new NodeRoutes(center, trail).routes());
        routes.addAll(new JobRoutes(center, trail).routes());
        routes.addAll(new AlertRoutes(center, trail).routes());
        routes.addAll(new SettingsRoutes(center).routes());
        routes.addAll(new AuditRoutes(center, trail, accounts).routes());
        if (accounts != null && firstAdmin != null) {
            routes.addAll(new AccountRoutes(center, trail, accounts, firstAdmin, operators).routes());
        }
        routes.add(Route.open(
                "GET",
                "/openapi.json",
                "The OpenAPI document",
                exchange -> exchange.json(200, OpenApi.document(routes))));
    }

    List<Route> routes() {
        return List.copyOf(routes);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        secure(response);
        String path = Objects.requireNonNullElse(request.getPathInfo(), "");
        if (!path.equals(API + HealthRoutes.PATH) && !origin.isKnownHost(request)) {
            response.setStatus(MISDIRECTED);
        } else if (path.startsWith(API + "/")) {
            response.setHeader("Cache-Control", "no-store");
            api(request, response, path.substring(API.length()));
        } else if (path.isEmpty() && !request.getRequestURI().endsWith("/")) {
            response.sendRedirect(request.getRequestURI() + "/"); // the page's links are relative
        } else if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
            response.setStatus(405);
        } else if (!UiFiles.serve(request, path, response)) {
            response.setStatus(404);
        }
    }

    private static void secure(HttpServletResponse response) {
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    }

    private void api(HttpServletRequest request, HttpServletResponse response, String path) throws IOException {
        Exchange exchange = new Exchange(request, response, Map.of(), null);
        try {
            Operator operator = OnBehalf.narrow(operators.operator(request), request);
            exchange = new Exchange(request, response, Map.of(), operator);
            Found found = find(request.getMethod(), path, operator);
            exchange = new Exchange(request, response, found.values(), operator);
            admit(found, exchange);
            if (found.route().isRecordedFirst()) {
                trail.begin(exchange, found.values().get("app"), path);
            }
            if (forwarding.concerns(found.route(), exchange)) {
                forwarding.forward(found.route(), exchange, path);
            } else {
                found.route().handler().handle(exchange);
            }
        } catch (ApiException e) {
            refuse(exchange, path, e.status(), String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            refuse(exchange, path, 400, String.valueOf(e.getMessage()));
        } catch (SQLTimeoutException e) {
            refuse(exchange, path, 504, "the database took too long; narrow the filter or try again");
        } catch (SQLException | RuntimeException e) {
            if (e instanceof SQLException failure && isAway(failure)) {
                LOG.log(Level.WARNING, "could not answer " + request.getMethod() + " " + path + ": " + e.getMessage());
                refuse(exchange, path, 503, "the database is unreachable at the moment; try again later");
            } else {
                LOG.log(Level.ERROR, "could not answer " + request.getMethod() + " " + path, e);
                refuse(exchange, path, 500, "internal error; see the log of the control center");
            }
        }
    }

    /** Detects connection failures, a server that is starting or stopping included, by exception class or SQL state. */
    private static boolean isAway(SQLException e) {
        String state = Objects.requireNonNullElse(e.getSQLState(), "");
        return e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException
                || e instanceof SQLRecoverableException
                || state.startsWith("08")
                || state.startsWith("57P");
    }

    private record Found(Route route, Map<String, String> values) {}

    /** Does not reveal which routes exist to callers who are not logged in. */
    private Found find(String method, String path, @Nullable Operator operator) {
        boolean pathExists = false;
        for (Route route : routes) {
            Map<String, String> values = route.match(path);
            if (values != null) {
                pathExists = true;
                if (route.method().equals(method)) {
                    return new Found(route, values);
                }
            }
        }
        if (operator == null) {
            throw new ApiException(401, "log in first");
        }
        throw new ApiException(pathExists ? 405 : 404, pathExists ? "not with " + method : "there is no " + path);
    }

    private void admit(Found found, Exchange exchange) throws SQLException {
        Route route = found.route();
        if (route.isChange()) {
            checkOrigin(found, exchange);
        }
        if (route.permission() == null) {
            return;
        }
        Operator operator = exchange.operator();
        String application = found.values().get("app");
        if (!operator.may(route.permission(), application)) {
            trail.add(exchange, "denied " + route.method(), application, route.path(), "denied", null);
            boolean seen = application == null || operator.may(outbox.control.access.Permission.VIEW, application);
            throw seen
                    ? new ApiException(
                            403,
                            "you are not allowed to do this; it requires the permission "
                                    + route.permission().name().toLowerCase(java.util.Locale.ROOT))
                    : new ApiException(404, "there is no application '" + application + "'");
        }
    }

    /** Only requests of known callers are audited: anyone can send anonymous requests, in any number. */
    private void checkOrigin(Found found, Exchange exchange) throws SQLException {
        try {
            origin.check(exchange.request());
        } catch (ApiException e) {
            if (exchange.operatorOrNull() != null) {
                trail.add(
                        exchange,
                        "denied " + found.route().method(),
                        found.values().get("app"),
                        found.route().path(),
                        "denied",
                        e.getMessage());
            }
            throw e;
        }
    }

    private void refuse(Exchange exchange, String path, int status, String error) throws IOException {
        try {
            trail.end(exchange, exchange.pathOrNull("app"), path, status, error);
        } catch (SQLException e) {
            throw new AssertionError(e); // only thrown for requests that were not audited before
        }
        if (exchange.response().isCommitted()) {
            return;
        }
        exchange.response().resetBuffer();
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("status", status);
        body.put("error", error);
        exchange.json(status, body);
    }

    @Override
    public void destroy() {
        center.close();
    }
}
