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
import org.springframework.http.HttpHeaders;
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
import outbox.control.http.SameOrigin;

/**
 * Sessions, CSRF tokens and login. Permissions are checked by the servlet's routes, which deny by default; everything
 * outside the servlet is denied here.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {
    private static final String API = CenterConfiguration.PREFIX + "/api/v1";
    static final String LOGIN = API + "/login";
    static final String LOGOUT = API + "/logout";
    static final String HEALTH = API + "/health";

    /**
     * {@link Login} is found as a bean; if it were added here too, it would run twice and count every failure twice.
     */
    @Bean
    SecurityFilterChain security(
            HttpSecurity http,
            LoopbackUntilSetUp loopback,
            ServerProperties properties,
            KnownDevices devices,
            OidcOperators oidc,
            ObjectProvider<ClientRegistrationRepository> providers)
            throws Exception {
        if (providers.getIfAvailable() != null) {
            http.oauth2Login(login -> login.loginPage(CenterConfiguration.PREFIX + "/")
                    .successHandler((request, response, who) -> {
                        try {
                            oidc.loggedIn(who, request.getRemoteAddr());
                        } catch (RuntimeException e) { // no login without an audit entry
                            request.getSession().invalidate();
                            SecurityContextHolder.clearContext();
                            throw e;
                        }
                        Sessions.stay(request);
                        response.sendRedirect(request.getContextPath() + CenterConfiguration.PREFIX + "/");
                    })
                    .failureUrl(CenterConfiguration.PREFIX + "/"));
        }
        KnownOrigins origins = new KnownOrigins(new SameOrigin(properties.publicUrl()));
        return http.addFilterBefore(origins, SecurityContextHolderFilter.class)
                .addFilterBefore(loopback, SecurityContextHolderFilter.class)
                .authorizeHttpRequests(
                        requests -> requests.dispatcherTypeMatchers(DispatcherType.ERROR, DispatcherType.INCLUDE)
                                .permitAll() // error dispatches of refused requests and closed streams
                                .requestMatchers("/", CenterConfiguration.PREFIX, CenterConfiguration.PREFIX + "/**")
                                .permitAll()
                                .anyRequest()
                                .denyAll())
                .formLogin(form -> form.loginPage(CenterConfiguration.PREFIX + "/")
                        .loginProcessingUrl(LOGIN)
                        .authenticationDetailsSource(devices::details)
                        .successHandler((request, response, who) -> {
                            Sessions.stay(request);
                            response.addHeader(
                                    HttpHeaders.SET_COOKIE,
                                    devices.cookie(request, who.getName()).toString());
                            response.setStatus(204);
                        })
                        .failureHandler((request, response, failure) -> refuse(response, failure)))
                .logout(logout -> logout.logoutUrl(LOGOUT)
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
            refuse(response, 503, "passwords cannot be checked at the moment; try again");
        } else {
            refuse(response, 401, "wrong name or password");
        }
    }

    /** The provider redirects from another site; a strict cookie would not be sent then. */
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
