package outbox.control.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.access.Accounts;
import outbox.control.access.Operator;

/** Authenticates requests: by the host application's security, or by the users of a standalone control center. */
@FunctionalInterface
public interface OperatorSource {
    /** @return {@code null} if nobody is logged in */
    @Nullable
    Operator operator(HttpServletRequest request);

    /** Further login options: names and their URLs. */
    default Map<String, String> logins(HttpServletRequest request) {
        return Map.of();
    }

    /** Headers the page must send with every change, such as the host's CSRF token. */
    default Map<String, String> requestHeaders(HttpServletRequest request) {
        return Map.of();
    }

    /** Called after the caller changed the own password, so that this session outlives the change; all others end. */
    default void passwordChanged(HttpServletRequest request, Accounts.LoggedIn user) {}
}
