package outbox.control.server;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestRedirectFilter;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.stereotype.Component;
import outbox.control.access.Accounts;
import outbox.control.access.Operator;
import outbox.control.http.OperatorSource;

/** Authenticates requests: by their token, otherwise by the session, with the current roles of the user. */
@Component
class Operators implements OperatorSource {
    private static final String BEARER = "Bearer ";

    private final Accounts accounts;
    private final OidcOperators oidc;
    private final Map<String, String> logins = new LinkedHashMap<>();

    Operators(Accounts accounts, OidcOperators oidc, ObjectProvider<ClientRegistrationRepository> providers) {
        this.accounts = accounts;
        this.oidc = oidc;
        providers.ifAvailable(repository -> {
            if (repository instanceof Iterable<?> registrations) {
                registrations.forEach(one -> {
                    ClientRegistration registration = (ClientRegistration) one;
                    logins.put(
                            registration.getClientName(),
                            OAuth2AuthorizationRequestRedirectFilter.DEFAULT_AUTHORIZATION_REQUEST_BASE_URI + "/"
                                    + registration.getRegistrationId());
                });
            }
        });
    }

    @Override
    public Map<String, String> logins(HttpServletRequest request) {
        return logins;
    }

    /** A token takes precedence over a session. */
    static boolean hasToken(HttpServletRequest request) {
        return request.getHeader("Authorization") != null;
    }

    @Override
    public @Nullable Operator operator(HttpServletRequest request) {
        try {
            String authorization = request.getHeader("Authorization");
            if (authorization != null) {
                return authorization.startsWith(BEARER)
                        ? accounts.tokenOwner(
                                authorization.substring(BEARER.length()).strip())
                        : null;
            }
            Principal principal = request.getUserPrincipal();
            if (principal instanceof OAuth2AuthenticationToken login) {
                return oidc.operator(login);
            }
            return principal instanceof Authentication login && login.getPrincipal() instanceof Person person
                    ? accounts.operator(person.name(), person.stamp())
                    : null;
        } catch (SQLException e) {
            throw new IllegalStateException("cannot authenticate the request", e);
        }
    }

    @Override
    public Map<String, String> requestHeaders(HttpServletRequest request) {
        Object token = request.getAttribute(CsrfToken.class.getName());
        return token instanceof CsrfToken csrf ? Map.of(csrf.getHeaderName(), csrf.getToken()) : Map.of();
    }

    /** Continues the session under a new id: whoever copied the old one is logged out too. */
    @Override
    public void passwordChanged(HttpServletRequest request, Accounts.LoggedIn user) {
        if (hasToken(request)) {
            return;
        }
        request.changeSessionId();
        request.getSession()
                .setAttribute(
                        HttpSessionSecurityContextRepository.SPRING_SECURITY_CONTEXT_KEY,
                        new SecurityContextImpl(Login.authentication(user)));
    }
}
