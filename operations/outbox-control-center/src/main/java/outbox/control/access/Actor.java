package outbox.control.access;

import org.jspecify.annotations.Nullable;

/**
 * Who changes an account, for the audit log.
 *
 * @param address {@code null} if the change does not come from a request
 */
public record Actor(String name, @Nullable String address) {
    /** The program itself. */
    public static final Actor PROGRAM = new Actor("(program)", null);
}
