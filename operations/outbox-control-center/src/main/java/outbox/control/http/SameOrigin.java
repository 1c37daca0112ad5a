package outbox.control.http;

import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells requests of the control center's own page from those that pages of other sites send in an operator's browser.
 * Forms of other sites can send neither our header nor a JSON body; browsers also send the origin of a request. Immutable
 * and thread-safe.
 */
public final class SameOrigin {
    static final String HEADER = "X-Outbox-Request";

    private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]", "::1", "0:0:0:0:0:0:0:1");

    private final @Nullable URI publicUrl;

    /** @param publicUrl where the control center is reached; {@code null} if it may have any name */
    public SameOrigin(@Nullable String publicUrl) {
        this.publicUrl = publicUrl == null ? null : URI.create(publicUrl);
    }

    /** @throws ApiException 403 unless the page itself, or a program, sent this change */
    void check(HttpServletRequest request) {
        if (request.getHeader(HEADER) == null) {
            throw new ApiException(403, "a change needs the header " + HEADER);
        }
        if (isForeign(request)) {
            throw new ApiException(403, "this request comes from a page of another site");
        }
    }

    /** Whether a browser says that a page of another site sent the request. */
    public boolean isForeign(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader("Origin");
        return (site != null && !site.equals("same-origin") && !site.equals("none"))
                || (origin != null && !isOwn(origin, request));
    }

    private boolean isOwn(String origin, HttpServletRequest request) {
        try {
            URI uri = URI.create(origin);
            String host = request.getHeader("Host");
            if (uri.getAuthority() == null || host == null) {
                return false;
            }
            return uri.getAuthority().toLowerCase(Locale.ROOT).equals(host.toLowerCase(Locale.ROOT))
                    || (publicUrl != null
                            && publicUrl.getScheme().equals(uri.getScheme())
                            && publicUrl.getHost().equalsIgnoreCase(uri.getHost())
                            && port(publicUrl) == port(uri));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Whether the request is addressed to the public URL, or comes from this machine and is addressed to a local name. A
     * foreign page could otherwise point a name of its own to this server (DNS rebinding). Always if there is no public
     * URL.
     */
    public boolean isKnownHost(HttpServletRequest request) {
        if (publicUrl == null) {
            return true;
        }
        String name = request.getServerName();
        return name.equalsIgnoreCase(publicUrl.getHost())
                || (LOCAL_NAMES.contains(name.toLowerCase(Locale.ROOT)) && isThisMachine(request.getRemoteAddr()));
    }

    private static int port(URI uri) {
        return uri.getPort() >= 0 ? uri.getPort() : "https".equals(uri.getScheme()) ? 443 : 80;
    }

    /** @param address numeric, so there is no DNS lookup */
    private static boolean isThisMachine(String address) {
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
