package outbox.spring.boot.tests;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;

/** Applications with a control center behind a login form, and requests to them. */
final class ControlCenterApps {
    private ControlCenterApps() {}

    @EventName("control.order.placed")
    record OrderPlaced(String eventId, Instant occurredAt, String orderId) implements DomainEvent {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}

    /** Whoever is not logged in is sent to a page for that. */
    static class LoginForm {
        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(User.withUsername("anna")
                    .password("{noop}anna-password")
                    .roles("OPS")
                    .build());
        }
    }

    static ConfigurableApplicationContext start(List<Class<?>> parts, String... settings) {
        SpringApplication application = new SpringApplication(parts.toArray(Class<?>[]::new));
        application.setWebApplicationType(WebApplicationType.SERVLET);
        Map<String, Object> defaults = new HashMap<>(Map.of(
                "server.port", "0",
                "server.address", "127.0.0.1",
                "spring.datasource.url", "jdbc:h2:mem:" + UUID.randomUUID(),
                "spring.jpa.open-in-view", "false",
                "spring.flyway.enabled", "false",
                "spring.liquibase.enabled", "false",
                "outbox.control-center.roles.OPS", "operator",
                "outbox.control-center.secret", Base64.getEncoder().encodeToString(new byte[32])));
        for (String setting : settings) {
            defaults.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        application.setDefaultProperties(defaults);
        return application.run();
    }

    static String server(ConfigurableApplicationContext context) {
        return "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/outbox";
    }

    /** @param token {@code null} for none */
    static HttpResponse<String> send(
            ConfigurableApplicationContext context, String method, String path, String token, String... headers)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server(context) + path))
                .method(method, HttpRequest.BodyPublishers.ofString(method.equals("GET") ? "" : "{}"))
                .header("X-Outbox-Request", "test");
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    }
}
