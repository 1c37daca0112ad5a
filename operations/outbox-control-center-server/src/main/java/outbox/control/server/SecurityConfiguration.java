package outbox.control.server;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.server.Cookie;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.ConfigurableServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.security.web.authentication.logout.HttpStatusReturningLogoutSuccessHandler;
import org.springframework.security.web.context.SecurityContextHolderFilter;

/**
 * Sessions, CSRF tokens and logging in. Who may do what is decided by the servlet's routes, which deny by default; here
 * everything outside the servlet is denied.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {
    private static final String API = CenterConfiguration.PREFIX + "/api/v1";

    /** {@link Login} is found as a bean; named here too, it would be asked twice and count every failure twice. */
    @Bean
    SecurityFilterChain security(
            HttpSecurity http,
            LoopbackUntilSetUp loopback,
            OidcOperators oidc,
            ObjectProvider<ClientRegistrationRepository> providers)
            throws Exception {
        if (providers.getIfAvailable() != null) {
            http.oauth2Login(login -> login.loginPage(CenterConfiguration.PREFIX + "/")
                    .successHandler((request, response, who) -> {
                        try {
                            oidc.loggedIn(who, request.getRemoteAddr());
                        } catch (RuntimeException e) { // nobody comes in unnoticed
                            request.getSession().invalidate();
                            SecurityContextHolder.clearContext();
                            throw e;
                        }
                        Sessions.stay(request);
                        response.sendRedirect(request.getContextPath() + CenterConfiguration.PREFIX + "/");
                    })
                    .failureUrl(CenterConfiguration.PREFIX + "/"));
        }
        return http.addFilterBefore(loopback, SecurityContextHolderFilter.class)
                .authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(
                                DispatcherType.ERROR, DispatcherType.INCLUDE)
                        .permitAll() // the answer to what was refused before, or to a stream whose page was closed
                        .requestMatchers("/", CenterConfiguration.PREFIX, CenterConfiguration.PREFIX + "/**")
                        .permitAll()
                        .anyRequest()
                        .denyAll())
                .formLogin(form -> form.loginPage(CenterConfiguration.PREFIX + "/")
                        .loginProcessingUrl(API + "/login")
                        .successHandler((request, response, who) -> {
                            Sessions.stay(request);
                            response.setStatus(204);
                        })
                        .failureHandler((request, response, failure) -> refuse(response, failure)))
                .logout(logout -> logout.logoutUrl(API + "/logout")
                        .logoutSuccessHandler(new HttpStatusReturningLogoutSuccessHandler(HttpStatus.NO_CONTENT)))
                .csrf(csrf -> csrf.ignoringRequestMatchers(Operators::hasToken))
                .httpBasic(basic -> basic.disable())
                .requestCache(cache -> cache.disable())
                .headers(headers ->
                        headers.contentSecurityPolicy(policy -> policy.policyDirectives("default-src 'none'")))
                .exceptionHandling(failures ->
                        failures.authenticationEntryPoint(new HttpStatusEntryPoint(HttpStatus.UNAUTHORIZED)))
                .build();
    }

    private static void refuse(HttpServletResponse response, AuthenticationException failure) throws IOException {
        if (failure instanceof LockedException) {
            refuse(response, 429, String.valueOf(failure.getMessage()));
        } else if (failure instanceof AuthenticationServiceException) {
            refuse(response, 503, "passwords cannot be checked at this moment; try again");
        } else {
            refuse(response, 401, "name or password is wrong");
        }
    }

    /** A provider sends people back from another site; a strict cookie would stay behind then. */
    @Bean
    WebServerFactoryCustomizer<ConfigurableServletWebServerFactory> laxCookie(
            ObjectProvider<ClientRegistrationRepository> providers) {
        return factory -> {
            if (providers.getIfAvailable() != null) {
                factory.getSettings().getSession().getCookie().setSameSite(Cookie.SameSite.LAX);
            }
        };
    }

    static void refuse(HttpServletResponse response, int status, String error) throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        response.setCharacterEncoding("UTF-8");
        response.getWriter().write("{\"status\":" + status + ",\"error\":\"" + error.replace("\"", "'") + "\"}");
    }
}
