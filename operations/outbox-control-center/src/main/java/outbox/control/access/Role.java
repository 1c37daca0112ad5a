package outbox.control.access;

import java.util.Locale;

/** The role of an operator, in one application or in all. Each role includes the previous ones. */
public enum Role {
    VIEWER,
    OPERATOR,
    ADMIN;

    /** Reading payloads and cloning events are granted separately from roles. */
    public boolean has(Permission permission) {
        return switch (permission) {
            case VIEW -> true;
            case ACT -> this != VIEWER;
            case ADMIN -> this == ADMIN;
            case PAYLOAD, CLONE -> false;
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
