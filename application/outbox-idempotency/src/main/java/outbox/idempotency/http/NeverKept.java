package outbox.idempotency.http;

import java.util.Locale;
import java.util.Set;

/** Headers of an answer that are never stored: secrets, and those of one exchange or connection. */
final class NeverKept {
    private static final Set<String> NAMES = Set.of(
            "authorization",
            "authentication-info",
            "clear-site-data",
            "connection",
            "content-length",
            "cookie",
            "date",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authentication-info",
            "proxy-authorization",
            "retry-after",
            "set-cookie",
            "set-cookie2",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "www-authenticate",
            "x-auth-token",
            "x-csrf-token",
            "x-xsrf-token");

    private NeverKept() {}

    static boolean contains(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return NAMES.contains(lower) || lower.startsWith("access-control-");
    }
}
