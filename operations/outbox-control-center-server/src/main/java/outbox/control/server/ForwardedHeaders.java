package outbox.control.server;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.security.web.util.matcher.IpAddressMatcher;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Applies the headers {@code X-Forwarded-*} of {@code outbox.control-center.trusted-proxies}; those of anyone else are
 * removed. The client is the last address in {@code X-Forwarded-For} that is not such a proxy: what stands before it was
 * sent by the client itself.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class ForwardedHeaders extends OncePerRequestFilter {
    private static final String FOR = "X-Forwarded-For";
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]{7,15}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    private final List<IpAddressMatcher> proxies;
    private final ForwardedHeaderFilter applied = new ForwardedHeaderFilter();
    private final ForwardedHeaderFilter removed = new ForwardedHeaderFilter();

    ForwardedHeaders(ServerProperties properties) {
        this.proxies =
                properties.trustedProxies().stream().map(IpAddressMatcher::new).toList();
        removed.setRemoveOnly(true);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (isProxy(request.getRemoteAddr())) {
            applied.doFilter(new FromProxy(request, client(request)), response, chain);
        } else {
            removed.doFilter(request, response, chain);
        }
    }

    private boolean isProxy(String address) {
        return proxies.stream().anyMatch(proxy -> proxy.matches(address));
    }

    private String client(HttpServletRequest request) {
        List<String> addresses = new ArrayList<>();
        for (String header : Collections.list(request.getHeaders(FOR))) {
            for (String address : header.split(",", -1)) {
                addresses.add(address.strip());
            }
        }
        String client = request.getRemoteAddr();
        for (int i = addresses.size() - 1; i >= 0 && isProxy(client); i--) {
            if (!ADDRESS.matcher(addresses.get(i)).matches()) {
                break;
            }
            client = addresses.get(i);
        }
        return client;
    }

    /** Without the headers that Spring would read from the wrong end. */
    private static final class FromProxy extends HttpServletRequestWrapper {
        private final String client;

        FromProxy(HttpServletRequest request, String client) {
            super(request);
            this.client = client;
        }

        @Override
        public String getRemoteAddr() {
            return client;
        }

        @Override
        public String getRemoteHost() {
            return client;
        }

        private static boolean isHidden(String name) {
            return name.equalsIgnoreCase(FOR) || name.equalsIgnoreCase("Forwarded");
        }

        @Override
        public @Nullable String getHeader(String name) {
            return isHidden(name) ? null : super.getHeader(name);
        }

        @Override
        public Enumeration<String> getHeaders(String name) {
            return isHidden(name) ? Collections.emptyEnumeration() : super.getHeaders(name);
        }

        @Override
        public Enumeration<String> getHeaderNames() {
            return Collections.enumeration(Collections.list(super.getHeaderNames()).stream()
                    .filter(name -> !isHidden(name))
                    .toList());
        }
    }
}
