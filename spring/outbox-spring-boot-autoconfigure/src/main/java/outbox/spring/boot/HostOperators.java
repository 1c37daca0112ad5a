package outbox.spring.boot;

import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.http.OperatorSource;

/** Authenticates requests by the application's security. Users without a mapped role have no access. */
final class HostOperators implements OperatorSource {
    private static final boolean HAS_SECURITY = ClassUtils.isPresent(
            "org.springframework.security.web.csrf.CsrfToken", HostOperators.class.getClassLoader());

    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[?[0-9a-fA-F:.]*:[0-9a-fA-F:.]*\\]?");

    private final ControlCenterProperties properties;
    private final boolean secured;

    /** @param secured whether requests come through Spring Security */
    HostOperators(ControlCenterProperties properties, boolean secured) {
        this.properties = properties;
        this.secured = secured;
    }

    @Override
    public @Nullable Operator operator(HttpServletRequest request) {
        if (request.getAttribute(ApiTokenFilter.OPERATOR) instanceof Operator operator) {
            return operator;
        }
        if (!secured) {
            return isThisMachine(request) ? Operator.everywhere("(this machine)", Role.OPERATOR, false) : null;
        }
        String name = request.getRemoteUser();
        Role best = null;
        for (Map.Entry<String, Role> entry : properties.getRoles().entrySet()) {
            if (request.isUserInRole(entry.getKey())
                    && (best == null || entry.getValue().compareTo(best) > 0)) {
                best = entry.getValue();
            }
        }
        if (name == null || best == null) {
            return null;
        }
        Operator operator = Operator.everywhere(
                name, best, properties.getPayloads().stream().anyMatch(request::isUserInRole));
        return properties.getClones().stream().anyMatch(request::isUserInRole) ? operator.withClones() : operator;
    }

    /**
     * From this machine, and addressed by a local name: otherwise a foreign page could point its own name to this
     * machine (DNS rebinding) and would have the same origin.
     */
    private static boolean isThisMachine(HttpServletRequest request) {
        String host = request.getServerName();
        return request.getHeader("X-Forwarded-For") == null
                && request.getHeader("Forwarded") == null
                && isLoopback(request.getRemoteAddr())
                && (host.equalsIgnoreCase("localhost") || (ADDRESS.matcher(host).matches() && isLoopback(host)));
    }

    /** @param address numeric, so there is no DNS lookup */
    private static boolean isLoopback(String address) {
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    @Override
    public Map<String, String> requestHeaders(HttpServletRequest request) {
        return HAS_SECURITY ? Csrf.headers(request) : Map.of();
    }

    /** Loaded only with Spring Security. */
    private static final class Csrf {
        static Map<String, String> headers(HttpServletRequest request) {
            Object token = request.getAttribute(CsrfToken.class.getName());
            return token instanceof CsrfToken csrf
                    ? Map.of(Objects.requireNonNull(csrf.getHeaderName()), Objects.requireNonNull(csrf.getToken()))
                    : Map.of();
        }
    }
}
