package outbox.control.http;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.Actor;
import outbox.control.access.FirstAdmin;
import outbox.control.access.LoginThrottle;
import outbox.control.access.Operator;
import outbox.control.access.Permission;
import outbox.control.access.Rights;
import outbox.control.access.Role;

/** Users, passwords and tokens, where the control center has its own. */
final class AccountRoutes {
    private static final Logger LOG = System.getLogger(AccountRoutes.class.getName());
    private static final String NOT_THE_TOKEN = "the setup token is wrong or was already used";

    private final ControlCenter center;
    private final AuditTrail trail;
    private final Accounts accounts;
    private final FirstAdmin firstAdmin;
    private final OperatorSource operators;
    private final LoginThrottle guesses = new LoginThrottle(InstantSource.system());

    AccountRoutes(
            ControlCenter center,
            AuditTrail trail,
            Accounts accounts,
            FirstAdmin firstAdmin,
            OperatorSource operators) {
        this.center = center;
        this.trail = trail;
        this.accounts = accounts;
        this.firstAdmin = firstAdmin;
        this.operators = operators;
    }

    List<Route> routes() {
        return List.of(
                Route.open("POST", "/setup", "Creates the first admin with the setup token", this::setUp),
                Route.of(
                        "GET",
                        "/users",
                        Permission.ADMIN,
                        "Users",
                        exchange -> exchange.json(200, Map.of("users", accounts.users()))),
                Route.of("POST", "/users", Permission.ADMIN, "Creates a user", this::createUser),
                Route.of(
                        "POST",
                        "/users/{name}/disable",
                        Permission.ADMIN,
                        "Disables a user",
                        exchange -> disable(exchange, true)),
                Route.of(
                        "POST",
                        "/users/{name}/enable",
                        Permission.ADMIN,
                        "Enables a user",
                        exchange -> disable(exchange, false)),
                Route.of(
                        "PUT",
                        "/users/{name}",
                        Permission.ADMIN,
                        "Changes the rights of a user: roles, payloads, clones",
                        this::change),
                Route.of(
                        "POST",
                        "/users/{name}/password",
                        Permission.ADMIN,
                        "Sets the password of a user and ends all sessions of the user",
                        this::resetPassword),
                Route.open(
                        "POST",
                        "/password",
                        "Changes the caller's own password (current, password) and ends the user's other sessions",
                        this::changePassword),
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
                        "Creates a token; its secret is returned only once",
                        this::createToken),
                Route.of("DELETE", "/tokens/{id}", Permission.ADMIN, "Revokes a token", this::revoke));
    }

    private void setUp(Exchange exchange) throws IOException, SQLException {
        if (firstAdmin.token() == null) { // not audited, because anyone can send this request
            throw new ApiException(403, NOT_THE_TOKEN);
        }
        String token = exchange.text("token");
        String name = exchange.text("name");
        String password = exchange.text("password");
        trail.begin(exchange, null, "/setup");
        Accounts.User user = firstAdmin.create(token, name, password, actor(exchange));
        trail.add(exchange, "setup", null, name, user == null ? "denied" : "ok", null);
        if (user == null) {
            throw new ApiException(403, NOT_THE_TOKEN);
        }
        exchange.json(201, Map.of("name", user.name()));
    }

    private void createUser(Exchange exchange) throws IOException, SQLException {
        Accounts.User user =
                accounts.create(exchange.text("name"), exchange.text("password"), rights(exchange), actor(exchange));
        exchange.ended();
        exchange.json(201, user);
    }

    private void disable(Exchange exchange, boolean disabled) throws IOException, SQLException {
        String name = another(exchange, "you cannot disable your own account");
        answer(exchange, () -> accounts.setDisabled(name, disabled, actor(exchange)));
    }

    private void change(Exchange exchange) throws IOException, SQLException {
        String name = another(exchange, "you cannot change your own roles");
        Rights rights = rights(exchange);
        answer(exchange, () -> accounts.setRights(name, rights, actor(exchange)));
    }

    private void resetPassword(Exchange exchange) throws IOException, SQLException {
        String name = another(exchange, "use POST /password to change your own password");
        String password = exchange.text("password");
        answer(exchange, () -> accounts.setPassword(name, password, actor(exchange)));
    }

    /** A change that records itself in the audit log. */
    @FunctionalInterface
    private interface Change {
        Object make() throws SQLException;
    }

    private static void answer(Exchange exchange, Change change) throws IOException, SQLException {
        Object changed;
        try {
            changed = change.make();
        } catch (NoSuchElementException e) {
            throw new ApiException(404, String.valueOf(e.getMessage()));
        }
        exchange.ended();
        exchange.json(200, changed);
    }

    private static Actor actor(Exchange exchange) {
        Operator operator = exchange.operatorOrNull();
        return new Actor(
                operator == null ? "(setup token)" : operator.name(),
                exchange.request().getRemoteAddr());
    }

    /** Protects unattended sessions: requires the current password, and slows down guessing. */
    private void changePassword(Exchange exchange) throws IOException, SQLException {
        String name = exchange.operator().name();
        String current = exchange.text("current");
        String next = exchange.text("password");
        LoginThrottle.Client client = new LoginThrottle.Client.KnownDevice(name, "session");
        Duration wait = guesses.attempt(client);
        if (!wait.isZero()) {
            throw new ApiException(429, "too many failed attempts; try again in " + (wait.toSeconds() + 1) + " s");
        }
        boolean right;
        try {
            right = accounts.logIn(name, current) != null;
        } catch (SQLException | IllegalStateException e) {
            guesses.withdrawn(client);
            LOG.log(Level.ERROR, "the password of " + name + " could not be checked", e);
            throw new ApiException(503, "passwords cannot be checked at the moment; try again");
        }
        if (!right) {
            trail.add(exchange, "password.change", null, name, "denied", null);
            throw new ApiException(403, "the current password is wrong, or your account has no password here");
        }
        guesses.succeeded(client);
        try {
            accounts.setPassword(name, next, actor(exchange));
            exchange.ended();
            Accounts.LoggedIn user = accounts.logIn(name, next);
            if (user != null) { // otherwise an admin has just disabled the user or set another password
                operators.passwordChanged(exchange.request(), user);
            }
        } catch (SQLException | IllegalStateException e) {
            LOG.log(Level.ERROR, "the password of " + name + " could not be changed", e);
            throw new ApiException(503, "the password cannot be changed at the moment; try again");
        }
        exchange.json(200, Map.of("name", name));
    }

    private static String another(Exchange exchange, String refusal) {
        String name = Accounts.canonical(exchange.path("name"));
        if (name.equals(exchange.operator().name())) {
            throw new ApiException(409, refusal);
        }
        return name;
    }

    private void createToken(Exchange exchange) throws IOException, SQLException {
        int days = exchange.wholeNumber("days", 1, (int) Accounts.MAX_TOKEN_LIFE.toDays());
        Accounts.NewToken token =
                accounts.createToken(exchange.text("name"), rights(exchange), Duration.ofDays(days), actor(exchange));
        exchange.ended();
        exchange.json(201, Map.of("token", token.token(), "secret", token.secret()));
    }

    private void revoke(Exchange exchange) throws IOException, SQLException {
        String id = exchange.path("id");
        answer(exchange, () -> {
            accounts.revokeToken(id, actor(exchange));
            return Map.of("id", id);
        });
    }

    private Rights rights(Exchange exchange) throws IOException {
        return new Rights(roles(exchange), exchange.flag("payloads"), exchange.flag("clones"));
    }

    /** @throws ApiException 400 if an application is unknown or there is no role */
    private Map<String, Role> roles(Exchange exchange) throws IOException {
        if (!(exchange.body().get("roles") instanceof Map<?, ?> given) || given.isEmpty()) {
            throw new ApiException(
                    400, "the body needs 'roles', such as {\"*\": \"viewer\"} or {\"orders\": \"operator\"}");
        }
        Map<String, Role> roles = new LinkedHashMap<>();
        given.forEach((application, role) -> {
            String name = String.valueOf(application);
            if (!name.equals(Operator.EVERYWHERE) && !center.hasApplication(name)) {
                throw new ApiException(400, "there is no application '" + name + "'");
            }
            roles.put(name, Role.parse(String.valueOf(role)));
        });
        return roles;
    }
}
