package outbox.control.http;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Locale;

/**
 * Whether a change was sent by our own page or by a program, and not by a page of somebody else in the browser of an
 * operator. Forms of other pages can send neither our header nor a JSON body; browsers also say where a request is from.
 */
final class SameOrigin {
    static final String HEADER = "X-Outbox-Request";

    private SameOrigin() {}

    static void check(HttpServletRequest request) {
        if (request.getHeader(HEADER) == null) {
            throw new ApiException(403, "a change needs the header " + HEADER);
        }
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            throw new ApiException(403, "this request comes from another site");
        }
        String origin = request.getHeader("Origin");
        if (origin != null && !isOwn(origin, request)) {
            throw new ApiException(403, "this request comes from another origin");
        }
    }

    private static boolean isOwn(String origin, HttpServletRequest request) {
        try {
            URI uri = URI.create(origin);
            String host = request.getHeader("Host");
            return uri.getAuthority() != null
                    && host != null
                    && uri.getAuthority().toLowerCase(Locale.ROOT).equals(host.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
