package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.Operator;
import outbox.control.access.Permission;

/** The session: user, permissions and applications, which the page loads first. */
final class SessionRoutes {
    private final ControlCenter center;
    private final OperatorSource operators;
    private final @Nullable Accounts accounts;

    SessionRoutes(ControlCenter center, OperatorSource operators, @Nullable Accounts accounts) {
        this.center = center;
        this.operators = operators;
        this.accounts = accounts;
    }

    List<Route> routes() {
        return List.of(Route.open("GET", "/session", "The current user and permissions", this::session));
    }

    private void session(Exchange exchange) throws IOException, SQLException {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        Operator operator = exchange.operatorOrNull();
        body.put("operator", operator == null ? null : operator.name());
        body.put("login", accounts != null);
        body.put("setup", accounts != null && accounts.isEmpty());
        body.put("logins", operators.logins(exchange.request()));
        body.put("headers", operators.requestHeaders(exchange.request()));
        if (operator != null) {
            body.put("admin", operator.may(Permission.ADMIN, null));
            body.put("password", accounts != null && accounts.has(operator.name()));
            body.put("readOnly", center.isReadOnly());
            body.put("traceLink", center.traceLink());
            body.put(
                    "applications",
                    Stream.concat(
                                    center.sources().stream()
                                            .map(ControlCenter.Source::application)
                                            .map(application -> rights(
                                                    operator,
                                                    application.name(),
                                                    application.isDeliveredFromLog(),
                                                    application.jobs() != null,
                                                    right -> true)),
                                    center.remotes().stream()
                                            .map(remote -> rights(
                                                    operator,
                                                    remote.application().name(),
                                                    remote.latest().isDeliveredFromLog(),
                                                    remote.latest().hasJobs(),
                                                    remote.latest()::allows)))
                            .filter(one -> operator.may(Permission.VIEW, String.valueOf(one.get("name"))))
                            .sorted(Comparator.comparing(one -> String.valueOf(one.get("name"))))
                            .toList());
        }
        exchange.json(200, body);
    }

    /** @param bound what the application's API token allows, if it is reached over HTTP */
    private Map<String, Object> rights(
            Operator operator, String name, boolean log, boolean jobs, Predicate<String> bound) {
        return Map.of(
                "name",
                name,
                "log",
                log,
                "jobs",
                jobs,
                "act",
                !center.isReadOnly() && operator.may(Permission.ACT, name) && bound.test("act"),
                "clone",
                !center.isReadOnly() && operator.may(Permission.CLONE, name) && bound.test("clone"),
                "payloads",
                operator.may(Permission.PAYLOAD, name) && bound.test("payloads"),
                "admin",
                !center.isReadOnly() && operator.may(Permission.ADMIN, name) && bound.test("admin"));
    }
}
