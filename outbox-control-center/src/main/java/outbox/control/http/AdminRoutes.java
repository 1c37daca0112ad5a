package outbox.control.http;

import java.io.IOException;
import java.io.OutputStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.FirstAdmin;
import outbox.control.access.Operator;
import outbox.control.access.Permission;
import outbox.control.access.Role;
import outbox.control.audit.AuditEntry;
import outbox.control.audit.AuditReport;

/** The audit log; users and tokens, where the control center has its own. */
final class AdminRoutes {
    private static final int MAX_PAGE = 200;

    private final ControlCenter center;
    private final Trail trail;

    AdminRoutes(ControlCenter center, Trail trail) {
        this.center = center;
        this.trail = trail;
    }

    List<Route> auditRoutes() {
        return List.of(
                Route.of(
                        "GET",
                        "/audit",
                        Permission.ADMIN,
                        "A page of the audit log, newest first",
                        this::audit,
                        "before",
                        "application",
                        "size"),
                Route.of(
                        "GET",
                        "/audit/verify",
                        Permission.ADMIN,
                        "Whether the audit log is as it was written",
                        this::verify),
                Route.of(
                        "GET",
                        "/audit/export",
                        Permission.ADMIN,
                        "The whole log as lines of JSON, with the MACs, to be verified elsewhere",
                        this::export));
    }

    List<Route> accountRoutes(Accounts accounts, FirstAdmin firstAdmin) {
        return List.of(
                Route.open(
                        "POST",
                        "/setup",
                        "The first admin, by the token printed at the start",
                        exchange -> setUp(exchange, firstAdmin)),
                Route.of(
                        "GET",
                        "/users",
                        Permission.ADMIN,
                        "Users",
                        exchange -> exchange.json(200, Map.of("users", accounts.users()))),
                Route.of("POST", "/users", Permission.ADMIN, "A new user", exchange -> createUser(exchange, accounts)),
                Route.of(
                        "POST",
                        "/users/{name}/disable",
                        Permission.ADMIN,
                        "Keeps a user out",
                        exchange -> disable(exchange, accounts, true)),
                Route.of(
                        "POST",
                        "/users/{name}/enable",
                        Permission.ADMIN,
                        "Lets a user in again",
                        exchange -> disable(exchange, accounts, false)),
                Route.of(
                        "GET",
                        "/tokens",
                        Permission.ADMIN,
                        "Tokens, without their secrets",
                        exchange -> exchange.json(200, Map.of("tokens", accounts.tokens()))),
                Route.of(
                        "POST",
                        "/tokens",
                        Permission.ADMIN,
                        "A new token; its secret is shown this once",
                        exchange -> createToken(exchange, accounts)),
                Route.of(
                        "DELETE",
                        "/tokens/{id}",
                        Permission.ADMIN,
                        "Ends a token",
                        exchange -> revoke(exchange, accounts)));
    }

    private void audit(Exchange exchange) throws IOException, SQLException {
        String before = exchange.query("before");
        int size = Math.max(1, Math.min(MAX_PAGE, exchange.query("size", 50)));
        List<AuditEntry> entries = center.audit()
                .page(
                        before == null ? null : Long.valueOf(exchange.query("before", 0)),
                        exchange.query("application"),
                        size);
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("entries", entries);
        body.put("next", entries.size() < size ? null : entries.get(size - 1).seq());
        exchange.json(200, body);
    }

    /** Exporting is an entry too, and the last one of the export. */
    private void export(Exchange exchange) throws IOException, SQLException {
        trail.add(exchange, "audit.export", null, null, "ok", null);
        exchange.response().setStatus(200);
        exchange.response().setContentType("application/x-ndjson");
        exchange.response().setHeader("Content-Disposition", "attachment; filename=\"outbox-audit.ndjson\"");
        OutputStream out = exchange.response().getOutputStream();
        center.audit().export(entry -> {
            out.write(Json.bytes(entry));
            out.write('\n');
        });
    }

    private void verify(Exchange exchange) throws IOException, SQLException {
        AuditReport report = center.audit().verify();
        exchange.json(
                200, Map.of("entries", report.entries(), "intact", report.isIntact(), "problems", report.problems()));
    }

    private void setUp(Exchange exchange, FirstAdmin firstAdmin) throws IOException, SQLException {
        Accounts.User user =
                firstAdmin.create(exchange.text("token"), exchange.text("name"), exchange.text("password"));
        trail.add(exchange, "setup", null, exchange.text("name"), user == null ? "denied" : "ok", null);
        if (user == null) {
            throw new ApiException(403, "this is not the token printed at the start, or it was used already");
        }
        exchange.json(201, Map.of("name", user.name()));
    }

    private void createUser(Exchange exchange, Accounts accounts) throws IOException, SQLException {
        Accounts.User user = accounts.create(
                exchange.text("name"), exchange.text("password"), roles(exchange), exchange.flag("payloads"));
        trail.add(
                exchange, "user.create", null, user.name(), "ok", user.roles() + (user.payloads() ? " payloads" : ""));
        exchange.json(201, user);
    }

    private void disable(Exchange exchange, Accounts accounts, boolean disabled) throws IOException, SQLException {
        String name = exchange.path("name");
        if (disabled && name.equals(exchange.operator().name())) {
            throw new ApiException(409, "you can not keep yourself out");
        }
        if (!accounts.setDisabled(name, disabled)) {
            throw new ApiException(404, "there is no user '" + name + "'");
        }
        trail.add(exchange, disabled ? "user.disable" : "user.enable", null, name, "ok", null);
        exchange.json(200, Map.of("name", name, "disabled", disabled));
    }

    private void createToken(Exchange exchange, Accounts accounts) throws IOException, SQLException {
        Object days = exchange.body().get("days");
        if (!(days instanceof Long count)) {
            throw new ApiException(400, "the body needs a number 'days': how long the token lives");
        }
        Accounts.NewToken token = accounts.createToken(
                exchange.text("name"),
                roles(exchange),
                exchange.flag("payloads"),
                Duration.ofDays(count),
                exchange.operator().name());
        trail.add(
                exchange,
                "token.create",
                null,
                token.token().name(),
                "ok",
                token.token().roles() + ", until " + token.token().expiresAt());
        exchange.json(201, Map.of("token", token.token(), "secret", token.secret()));
    }

    private void revoke(Exchange exchange, Accounts accounts) throws IOException, SQLException {
        if (!accounts.revokeToken(exchange.path("id"))) {
            throw new ApiException(404, "there is no token " + exchange.path("id"));
        }
        trail.add(exchange, "token.revoke", null, exchange.path("id"), "ok", null);
        exchange.json(200, Map.of("id", exchange.path("id")));
    }

    /** @throws ApiException 400 if an application is not known or there is no role at all */
    private Map<String, Role> roles(Exchange exchange) throws IOException {
        if (!(exchange.body().get("roles") instanceof Map<?, ?> given) || given.isEmpty()) {
            throw new ApiException(
                    400, "the body needs 'roles', such as {\"*\": \"viewer\"} or {\"orders\": \"operator\"}");
        }
        Map<String, Role> roles = new LinkedHashMap<>();
        given.forEach((application, role) -> {
            String name = String.valueOf(application);
            if (!name.equals(Operator.EVERYWHERE) && center.source(name) == null) {
                throw new ApiException(400, "there is no application '" + name + "'");
            }
            roles.put(name, Role.parse(String.valueOf(role)));
        });
        return roles;
    }
}
