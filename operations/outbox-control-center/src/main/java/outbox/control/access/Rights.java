package outbox.control.access;

import java.util.Map;

/**
 * What a user or a token may do. Immutable.
 *
 * @param roles by application; {@value Operator#EVERYWHERE} means all applications and the control center itself
 * @param payloads whether payloads of visible applications may be read too
 * @param clones whether events may be written as copies of others, where the role is at least operator
 */
public record Rights(Map<String, Role> roles, boolean payloads, boolean clones) {
    public Rights {
        roles = Map.copyOf(roles);
    }

    /** Neither reads payloads nor clones events. */
    public static Rights of(Map<String, Role> roles) {
        return new Rights(roles, false, false);
    }

    /** Of the control center and all its applications. */
    public static Rights everything() {
        return new Rights(Map.of(Operator.EVERYWHERE, Role.ADMIN), true, true);
    }

    /** For the audit log, such as {@code orders=operator payloads}. */
    @Override
    public String toString() {
        return Roles.format(roles) + (payloads ? " payloads" : "") + (clones ? " clones" : "");
    }
}
