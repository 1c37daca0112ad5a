package outbox.control.access;

import java.util.Locale;

/** What an operator is, in one application or in all. Each may do what those before it may. */
public enum Role {
    VIEWER,
    OPERATOR,
    ADMIN;

    /** Payloads are no role's business: reading them is granted by itself. */
    public boolean has(Permission permission) {
        return switch (permission) {
            case VIEW -> true;
            case ACT -> this != VIEWER;
            case ADMIN -> this == ADMIN;
            case PAYLOAD -> false;
        };
    }

    /** @throws IllegalArgumentException for anything but the three names, in any case */
    public static Role parse(String name) {
        try {
            return valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("unknown role '" + name + "'; known are viewer, operator, admin", e);
        }
    }
}
