package outbox.control.server;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.sql.SQLException;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import outbox.control.access.Accounts;

/**
 * Until the first admin exists, only local requests are allowed, so that nobody on the network can take the setup over.
 */
@Component
class LoopbackUntilSetUp extends OncePerRequestFilter {
    private final Accounts accounts;

    LoopbackUntilSetUp(Accounts accounts) {
        this.accounts = accounts;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            if (!request.getRequestURI().equals(SecurityConfiguration.HEALTH)
                    && accounts.isEmpty()
                    && !isThisMachine(request.getRemoteAddr())) {
                SecurityConfiguration.refuse(
                        response,
                        403,
                        "this control center has no users yet; create the first one from its own machine");
                return;
            }
        } catch (SQLException e) {
            throw new ServletException("the control center's database is unreachable", e);
        }
        chain.doFilter(request, response);
    }

    /** The address is numeric, so there is no DNS lookup. */
    private static boolean isThisMachine(String address) throws IOException {
        return InetAddress.getByName(address).isLoopbackAddress();
    }

    /** Keeps Boot from registering the filter outside of Spring Security's chain too. */
    @Component
    static class NotTwice {
        @Bean
        FilterRegistrationBean<LoopbackUntilSetUp> loopbackRegistration(LoopbackUntilSetUp filter) {
            FilterRegistrationBean<LoopbackUntilSetUp> registration = new FilterRegistrationBean<>(filter);
            registration.setEnabled(false);
            return registration;
        }
    }
}
