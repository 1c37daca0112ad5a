package outbox.control.server;

import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.stereotype.Component;
import outbox.control.ControlCenter;
import outbox.control.access.Operator;
import outbox.control.access.Rights;
import outbox.control.access.Role;
import outbox.control.access.Roles;
import outbox.control.audit.AuditLog;

/**
 * Roles of users who log in with OpenID Connect, derived from their groups. Without a mapped group there is no access.
 */
@Component
class OidcOperators {
    private final AuditLog audit;
    private final ServerProperties.Oidc settings;
    private final Map<String, Map<String, Role>> rolesByGroup = new LinkedHashMap<>();

    OidcOperators(ServerProperties properties, ControlCenter center) {
        this.audit = center.audit();
        this.settings = properties.oidc();
        settings.roles().forEach((group, roles) -> rolesByGroup.put(group, Roles.parse(roles)));
    }

    /** Records the login in the audit log. */
    void loggedIn(Authentication login, String address) {
        if (login instanceof OAuth2AuthenticationToken person) {
            Operator operator = operator(person);
            try {
                audit.add(new AuditLog.Note(
                        operator.name(),
                        address,
                        "login",
                        null,
                        null,
                        "ok",
                        person.getAuthorizedClientRegistrationId() + " " + operator.rights()));
            } catch (SQLException e) {
                throw new IllegalStateException("cannot record the login of " + operator.name(), e);
            }
        }
    }

    /**
     * The name starts with {@code oidc:}, so that it cannot be confused with a local user. It contains the subject,
     * because display names can change and be reassigned.
     */
    Operator operator(OAuth2AuthenticationToken login) {
        Map<String, Object> claims = login.getPrincipal().getAttributes();
        String subject = String.valueOf(claims.getOrDefault("sub", login.getName()));
        Object called = claims.get("preferred_username");
        String name = called == null || called.equals(subject) ? subject : called + " (" + subject + ")";
        Collection<String> groups = groups(claims.get(settings.claim()));
        Map<String, Role> roles = new LinkedHashMap<>();
        for (String group : groups) {
            rolesByGroup
                    .getOrDefault(group, Map.of())
                    .forEach((application, role) ->
                            roles.merge(application, role, (a, b) -> a.compareTo(b) >= 0 ? a : b));
        }
        return new Operator(
                "oidc:" + name,
                new Rights(
                        roles,
                        groups.stream().anyMatch(settings.payloads()::contains),
                        groups.stream().anyMatch(settings.clones()::contains)));
    }

    private static Collection<String> groups(@Nullable Object claim) {
        if (claim instanceof Collection<?> many) {
            return many.stream().map(String::valueOf).toList();
        }
        return claim == null ? List.of() : List.of(claim.toString());
    }
}
