package outbox.xxljob.admin;

import org.jspecify.annotations.Nullable;

/** The admin cannot be reached, or it refused a request. The message never contains the password or the token. */
public final class XxlJobAdminException extends RuntimeException {
    XxlJobAdminException(String message) {
        this(message, null);
    }

    XxlJobAdminException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
