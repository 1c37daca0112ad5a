package outbox.control.access;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An authenticated caller: a user, a token or a user of the host application. Immutable. */
public record Operator(String name, Rights rights) {
    public static final String EVERYWHERE = "*";

    /** @param payloads whether payloads of visible applications may be read too */
    public Operator(String name, Map<String, Role> roles, boolean payloads) {
        this(name, new Rights(roles, payloads, false));
    }

    /** Without the right to clone events. */
    public static Operator everywhere(String name, Role role, boolean payloads) {
        return new Operator(name, Map.of(EVERYWHERE, role), payloads);
    }

    /** The same with the right to clone events, where the role is at least operator. */
    public Operator withClones() {
        return new Operator(name, new Rights(rights.roles(), rights.payloads(), true));
    }

    /** @param application {@code null} for the control center itself */
    public boolean may(Permission permission, @Nullable String application) {
        return switch (permission) {
            case PAYLOAD -> rights.payloads() && may(Permission.VIEW, application);
            case CLONE -> rights.clones() && may(Permission.ACT, application);
            case VIEW, ACT, ADMIN ->
                has(permission, EVERYWHERE) || (application != null && has(permission, application));
        };
    }

    private boolean has(Permission permission, String where) {
        Role role = rights.roles().get(where);
        return role != null && role.has(permission);
    }
}
