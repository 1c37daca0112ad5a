package com.example.orders;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;

@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {
    /**
     * Operators log in with a form, and only they reach the control center. It has its own CSRF protection.
     *
     * <p>The control center is a servlet beside Spring MVC's. Plain patterns are those of Spring MVC on Boot 3.5 and do
     * not match it; {@link PathPatternRequestMatcher} does, on both lines.
     */
    @Bean
    @Order(1)
    SecurityFilterChain controlCenter(HttpSecurity http) throws Exception {
        PathPatternRequestMatcher.Builder paths = PathPatternRequestMatcher.withDefaults();
        return http.securityMatcher(new OrRequestMatcher(
                        paths.matcher("/outbox/**"), paths.matcher("/login"), paths.matcher("/logout")))
                .authorizeHttpRequests(requests -> requests.requestMatchers(paths.matcher("/outbox/**"))
                        .hasAnyRole("OPS", "PLATFORM")
                        .anyRequest()
                        .permitAll())
                .formLogin(form -> form.defaultSuccessUrl("/outbox/"))
                .csrf(csrf -> csrf.ignoringRequestMatchers(paths.matcher("/outbox/api/**")))
                .build();
    }

    /** Programs send their password with each request; without a session there is nothing to forge a request with. */
    @Bean
    @Order(2)
    SecurityFilterChain api(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/actuator/health/**")
                        .permitAll()
                        .requestMatchers("/actuator/**")
                        .hasRole("MONITORING")
                        .requestMatchers(HttpMethod.POST, "/orders")
                        .hasRole("CUSTOMER")
                        .anyRequest()
                        .denyAll())
                .httpBasic(Customizer.withDefaults())
                .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .csrf(AbstractHttpConfigurer::disable)
                .build();
    }

    /** Stands for your directory or identity provider; only the names of the roles matter to the outbox. */
    @Bean
    UserDetailsService users(
            @Value("${orders.passwords.shop}") String shop,
            @Value("${orders.passwords.ops}") String ops,
            @Value("${orders.passwords.prometheus}") String prometheus) {
        return new InMemoryUserDetailsManager(
                User.withUsername("shop").password(shop).roles("CUSTOMER").build(),
                User.withUsername("ops").password(ops).roles("OPS").build(),
                User.withUsername("prometheus")
                        .password(prometheus)
                        .roles("MONITORING")
                        .build());
    }
}
