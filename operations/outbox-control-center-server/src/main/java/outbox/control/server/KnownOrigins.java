package outbox.control.server;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.web.filter.OncePerRequestFilter;
import outbox.control.http.SameOrigin;

/** Refuses requests under unknown host names, and logins that pages of other sites send. */
final class KnownOrigins extends OncePerRequestFilter {
    private static final int MISDIRECTED = 421;
    private static final Set<String> SESSION = Set.of(SecurityConfiguration.LOGIN, SecurityConfiguration.LOGOUT);

    private final SameOrigin origin;

    KnownOrigins(SameOrigin origin) {
        this.origin = origin;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String path = request.getRequestURI();
        if (!path.equals(SecurityConfiguration.HEALTH) && !origin.isKnownHost(request)) {
            SecurityConfiguration.refuse(
                    response, MISDIRECTED, "this is not the address of outbox.control-center.public-url");
        } else if (SESSION.contains(path) && origin.isForeign(request)) {
            SecurityConfiguration.refuse(response, 403, "this request comes from a page of another site");
        } else {
            chain.doFilter(request, response);
        }
    }
}
