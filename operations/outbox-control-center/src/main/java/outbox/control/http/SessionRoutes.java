package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.Operator;
import outbox.control.access.Permission;
import outbox.control.source.Application;

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
                    center.sources().stream()
                            .map(ControlCenter.Source::application)
                            .filter(application -> operator.may(Permission.VIEW, application.name()))
                            .map(application -> rights(operator, application))
                            .toList());
        }
        exchange.json(200, body);
    }

    private Map<String, Object> rights(Operator operator, Application application) {
        String name = application.name();
        return Map.of(
                "name",
                name,
                "log",
                application.isDeliveredFromLog(),
                "jobs",
                application.jobs() != null,
                "act",
                !center.isReadOnly() && operator.may(Permission.ACT, name),
                "clone",
                !center.isReadOnly() && operator.may(Permission.CLONE, name),
                "payloads",
                operator.may(Permission.PAYLOAD, name),
                "admin",
                !center.isReadOnly() && operator.may(Permission.ADMIN, name));
    }
}
