package outbox.control.server;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.stereotype.Component;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.access.Roles;

/** What those may do who log in by OpenID Connect: their groups decide. Who is in no group that counts may do nothing. */
@Component
class OidcOperators {
    private final ServerProperties.Oidc settings;
    private final Map<String, Map<String, Role>> rolesByGroup = new LinkedHashMap<>();

    OidcOperators(ServerProperties properties) {
        this.settings = properties.oidc();
        settings.roles().forEach((group, roles) -> rolesByGroup.put(group, Roles.parse(roles)));
    }

    /** The name begins with {@code oidc:}, so nobody is taken for a user of the same name. */
    Operator operator(OAuth2AuthenticationToken login) {
        Map<String, Object> claims = login.getPrincipal().getAttributes();
        Object name = claims.getOrDefault("preferred_username", login.getName());
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
