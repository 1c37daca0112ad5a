package outbox.control.server;

import java.io.Serializable;
import java.security.Principal;

/**
 * A user who logged in with a password.
 *
 * @param stamp see {@link outbox.control.access.Accounts.LoggedIn}
 */
record Person(String name, String stamp) implements Principal, Serializable {
    @Override
    public String getName() {
        return name;
    }
}
