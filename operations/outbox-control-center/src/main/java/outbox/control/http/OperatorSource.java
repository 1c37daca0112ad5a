package outbox.control.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.access.Operator;

/** Knows who sends a request: the host's own security, or the users of a control center that runs by itself. */
@FunctionalInterface
public interface OperatorSource {
    /** @return {@code null} if nobody is logged in */
    @Nullable
    Operator operator(HttpServletRequest request);

    /** Other ways to log in: names and where they begin. */
    default Map<String, String> logins(HttpServletRequest request) {
        return Map.of();
    }

    /** Headers that a page must send with every change, such as the host's CSRF token. */
    default Map<String, String> requestHeaders(HttpServletRequest request) {
        return Map.of();
    }
}
