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
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.FirstAdmin;
import outbox.control.access.LoginThrottle;
import outbox.control.access.Operator;
import outbox.control.access.Permission;
import outbox.control.access.Role;
import outbox.spi.UnitOfWork;

/** Users, passwords and tokens, where the control center has its own. */
final class AccountRoutes {
    private static final Logger LOG = System.getLogger(AccountRoutes.class.getName());
    private static final String NOT_THE_TOKEN = "this is not the token printed at the start, or it was used already";

    private final ControlCenter center;
    private final Trail trail;
    private final Accounts accounts;
    private final FirstAdmin firstAdmin;
    private final LoginThrottle guesses = new LoginThrottle(InstantSource.system());

    AccountRoutes(ControlCenter center, Trail trail, Accounts accounts, FirstAdmin firstAdmin) {
        this.center = center;
        this.trail = trail;
        this.accounts = accounts;
        this.firstAdmin = firstAdmin;
    }

    List<Route> routes() {
        return List.of(
                Route.open("POST", "/setup", "The first admin, by the token printed at the start", this::setUp),
                Route.of(
                        "GET",
                        "/users",
                        Permission.ADMIN,
                        "Users",
                        exchange -> exchange.json(200, Map.of("users", accounts.users()))),
                Route.of("POST", "/users", Permission.ADMIN, "A new user", this::createUser),
                Route.of(
                        "POST",
                        "/users/{name}/disable",
                        Permission.ADMIN,
                        "Keeps a user out",
                        exchange -> disable(exchange, true)),
                Route.of(
                        "POST",
                        "/users/{name}/enable",
                        Permission.ADMIN,
                        "Lets a user in again",
                        exchange -> disable(exchange, false)),
                Route.of(
                        "PUT",
                        "/users/{name}",
                        Permission.ADMIN,
                        "Gives a user other roles, and the right to read payloads or not",
                        this::change),
                Route.of(
                        "POST",
                        "/users/{name}/password",
                        Permission.ADMIN,
                        "Gives a user another password; whoever is logged in with the old one is out",
                        this::resetPassword),
                Route.open(
                        "POST",
                        "/password",
                        "Another password for oneself: current and password; other sessions end",
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
                        "A new token; its secret is shown this once",
                        this::createToken),
                Route.of("DELETE", "/tokens/{id}", Permission.ADMIN, "Ends a token", this::revoke));
    }

    private void setUp(Exchange exchange) throws IOException, SQLException {
        if (firstAdmin.token() == null) { // anybody may ask, so it is not written down
            throw new ApiException(403, NOT_THE_TOKEN);
        }
        String token = exchange.text("token");
        String name = exchange.text("name");
        String password = exchange.text("password");
        trail.begin(exchange, null, "/setup");
        Accounts.User user = firstAdmin.create(token, name, password);
        trail.add(exchange, "setup", null, name, user == null ? "denied" : "ok", null);
        if (user == null) {
            throw new ApiException(403, NOT_THE_TOKEN);
        }
        exchange.json(201, Map.of("name", user.name()));
    }

    private void createUser(Exchange exchange) throws IOException, SQLException {
        Accounts.User user = accounts.create(
                exchange.text("name"), exchange.text("password"), roles(exchange), exchange.flag("payloads"));
        trail.add(
                exchange, "user.create", null, user.name(), "ok", user.roles() + (user.payloads() ? " payloads" : ""));
        exchange.json(201, user);
    }

    private void disable(Exchange exchange, boolean disabled) throws IOException, SQLException {
        String name = another(exchange, "you cannot disable your own account");
        found(name, accounts.setDisabled(name, disabled));
        trail.add(exchange, disabled ? "user.disable" : "user.enable", null, name, "ok", null);
        exchange.json(200, Map.of("name", name, "disabled", disabled));
    }

    private void change(Exchange exchange) throws IOException, SQLException {
        String name = another(exchange, "you cannot change your own roles");
        Map<String, Role> roles = roles(exchange);
        boolean payloads = exchange.flag("payloads");
        found(name, accounts.setRoles(name, roles, payloads));
        trail.add(exchange, "user.change", null, name, "ok", roles + (payloads ? " payloads" : ""));
        exchange.json(200, Map.of("name", name, "roles", roles, "payloads", payloads));
    }

    private void resetPassword(Exchange exchange) throws IOException, SQLException {
        String name = another(exchange, "your own password takes the current one: POST /password");
        UnitOfWork.Work<Boolean> change = accounts.passwordChange(name, exchange.text("password"));
        trail.add(exchange, "user.password", name, conn -> {
            found(name, change.on(conn));
            return name;
        });
        exchange.json(200, Map.of("name", name));
    }

    /** Whoever finds an open session must not make it his own: the current password is asked for, and guessing is slow. */
    private void changePassword(Exchange exchange) throws IOException, SQLException {
        String name = exchange.operator().name();
        String current = exchange.text("current");
        String next = exchange.text("password");
        Duration wait = guesses.attempt(name, name);
        if (!wait.isZero()) {
            throw new ApiException(429, "too many failed attempts; try again in " + (wait.toSeconds() + 1) + " s");
        }
        boolean right;
        try {
            right = accounts.logIn(name, current) != null;
        } catch (SQLException | IllegalStateException e) {
            guesses.withdrawn(name, name);
            LOG.log(Level.ERROR, "the password of " + name + " could not be checked", e);
            throw new ApiException(503, "passwords cannot be checked at this moment; try again");
        }
        if (!right) {
            trail.add(exchange, "password.change", null, name, "denied", null);
            throw new ApiException(403, "the current password is wrong, or you have none here");
        }
        guesses.succeeded(name, name);
        try {
            trail.add(exchange, "password.change", name, accounts.passwordChange(name, next));
        } catch (SQLException | IllegalStateException e) {
            LOG.log(Level.ERROR, "the password of " + name + " could not be changed", e);
            throw new ApiException(503, "the password cannot be changed at this moment; try again");
        }
        exchange.json(200, Map.of("name", name));
    }

    private static String another(Exchange exchange, String refusal) {
        String name = exchange.path("name");
        if (name.equals(exchange.operator().name())) {
            throw new ApiException(409, refusal);
        }
        return name;
    }

    private static void found(String name, boolean found) {
        if (!found) {
            throw new ApiException(404, "there is no user '" + name + "'");
        }
    }

    private void createToken(Exchange exchange) throws IOException, SQLException {
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
                token.token().roles() + (token.token().payloads() ? " payloads" : "") + ", until "
                        + token.token().expiresAt());
        exchange.json(201, Map.of("token", token.token(), "secret", token.secret()));
    }

    private void revoke(Exchange exchange) throws IOException, SQLException {
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
