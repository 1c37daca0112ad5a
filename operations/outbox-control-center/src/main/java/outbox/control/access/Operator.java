package outbox.control.access;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who was let in: a person, a token or a user of the host. Immutable.
 *
 * @param roles by application; {@value #EVERYWHERE} stands for all applications and for what belongs to none
 * @param payloads whether payloads of the applications he sees may be read, too
 */
public record Operator(String name, Map<String, Role> roles, boolean payloads) {
    public static final String EVERYWHERE = "*";

    public Operator {
        roles = Map.copyOf(roles);
    }

    public static Operator everywhere(String name, Role role, boolean payloads) {
        return new Operator(name, Map.of(EVERYWHERE, role), payloads);
    }

    /** @param application {@code null} for what belongs to no application */
    public boolean may(Permission permission, @Nullable String application) {
        if (permission == Permission.PAYLOAD) {
            return payloads && may(Permission.VIEW, application);
        }
        return has(permission, EVERYWHERE) || (application != null && has(permission, application));
    }

    private boolean has(Permission permission, String where) {
        Role role = roles.get(where);
        return role != null && role.has(permission);
    }
}
