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
import outbox.control.access.Role;
import outbox.control.access.Roles;
import outbox.control.audit.AuditLog;

/** What those may do who log in by OpenID Connect: their groups decide. Who is in no group that counts may do nothing. */
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

    /** Writes to the audit log that somebody came in this way. */
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
                        person.getAuthorizedClientRegistrationId() + " " + operator.roles()
                                + (operator.payloads() ? " payloads" : "")));
            } catch (SQLException e) {
                throw new IllegalStateException("cannot record the login of " + operator.name(), e);
            }
        }
    }

    /**
     * The name begins with {@code oidc:}, so nobody is taken for a user of the same name. It has the subject in it: what the
     * provider calls people may change, and may be given to somebody else.
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
        return new Operator("oidc:" + name, roles, groups.stream().anyMatch(settings.payloads()::contains));
    }

    private static Collection<String> groups(@Nullable Object claim) {
        if (claim instanceof Collection<?> many) {
            return many.stream().map(String::valueOf).toList();
        }
        return claim == null ? List.of() : List.of(claim.toString());
    }
}
