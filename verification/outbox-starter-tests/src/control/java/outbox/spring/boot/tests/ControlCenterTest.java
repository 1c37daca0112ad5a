package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import outbox.control.source.Application;
import outbox.control.source.NodeReader;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;
import outbox.node.JdbcWebhookSecrets;
import outbox.node.WebhookSecretRotation;
import outbox.webhook.WebhookPublisher;
import outbox.webhook.WebhookSecret;

/** The page inside an application with Spring Security, over HTTP. */
@Timeout(600)
class ControlCenterTest {
    private static final String SECRET = Base64.getEncoder().encodeToString(new byte[32]);

    @EventName("order.placed")
    record OrderPlaced(String eventId, Instant occurredAt, String orderId) implements DomainEvent {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}

    /** As if Spring Security were not there. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration",
                "org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration",
                "org.springframework.boot.autoconfigure.security.servlet.UserDetailsServiceAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration"
            })
    static class WithoutSecurity {}

    static class Rotation {
        @Bean
        WebhookSecretRotation rotation() {
            return endpoint -> "a new secret for " + endpoint.name() + " is in the vault";
        }
    }

    /** Where receivers get new secrets from. */
    static class SecretsForReceivers {
        private static final List<WebhookSecret> GIVEN = new CopyOnWriteArrayList<>();

        @Bean
        JdbcWebhookSecrets.HandOver handOver() {
            return (endpoint, secret) -> GIVEN.add(secret);
        }
    }

    static class Handlers {
        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {}
    }

    static class Security {
        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("anna")
                            .password("{noop}anna-password")
                            .roles("OPS")
                            .build(),
                    User.withUsername("ben")
                            .password("{noop}ben-password")
                            .roles("SALES")
                            .build());
        }
    }

    private static ConfigurableApplicationContext start(String... settings) {
        return start(List.of(Plain.class, Security.class, Handlers.class), settings);
    }

    private static ConfigurableApplicationContext start(List<Class<?>> parts, String... settings) {
        SpringApplication application = new SpringApplication(parts.toArray(Class<?>[]::new));
        application.setWebApplicationType(WebApplicationType.SERVLET);
        Map<String, Object> defaults = new HashMap<>(Map.of(
                "server.port", "0",
                "server.address", "127.0.0.1",
                "spring.datasource.url", "jdbc:h2:mem:" + UUID.randomUUID(),
                "spring.jpa.open-in-view", "false",
                "spring.flyway.enabled", "false",
                "spring.liquibase.enabled", "false",
                "outbox.control-center.secret", SECRET));
        for (String setting : settings) {
            defaults.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        application.setDefaultProperties(defaults);
        return application.run();
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext context, String path, String user)
            throws Exception {
        String port = context.getEnvironment().getProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        if (user != null) {
            request.header(
                    "Authorization",
                    "Basic "
                            + Base64.getEncoder()
                                    .encodeToString(
                                            (user + ":" + user + "-password").getBytes(StandardCharsets.UTF_8)));
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void thePageIsBehindTheApplicationsOwnSecurityAndItsRolesDecide() throws Exception {
        try (ConfigurableApplicationContext context = start("outbox.control-center.roles.OPS=operator")) {
            assertThat(get(context, "/outbox/", null).statusCode()).isEqualTo(401);
            assertThat(get(context, "/outbox/", "anna").body()).contains("<script");
            String session = get(context, "/outbox/api/v1/session", "anna").body();
            assertThat(session)
                    .contains("\"operator\":\"anna\"")
                    .contains("\"act\":true")
                    .contains("\"payloads\":false")
                    .contains("X-CSRF-TOKEN");
            assertThat(get(context, "/outbox/api/v1/apps/outbox/events", "anna").statusCode())
                    .isEqualTo(200);
            assertThat(get(context, "/outbox/api/v1/audit", "anna").statusCode())
                    .as("an operator is no admin")
                    .isEqualTo(403);
            assertThat(get(context, "/outbox/api/v1/apps/outbox/events", "ben").statusCode())
                    .as("he has no role here")
                    .isEqualTo(401);
        }
    }

    @Test
    void nodesAndAttemptsAreThereWithoutAnyFurtherSetting() throws Exception {
        try (ConfigurableApplicationContext context = start("outbox.control-center.heartbeat=500ms")) {
            NodeReader nodes = new NodeReader(Application.of("x", context.getBean(DataSource.class)));
            assertThat(nodes.nodes()).hasSize(1);
            nodes.setPaused("mailer", true, "a test", "anna");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> nodes.handlers().stream()
                            .anyMatch(handler -> handler.name().equals("mailer") && handler.paused()));
            assertThat(get(context, "/outbox/", "anna").statusCode())
                    .as("nobody was given a role, so there is no page")
                    .isEqualTo(404);
        }
    }

    @Test
    void withoutASecretThereIsNoPage() throws Exception {
        try (ConfigurableApplicationContext context =
                start("outbox.control-center.roles.OPS=admin", "outbox.control-center.secret=")) {
            assertThat(get(context, "/outbox/", "anna").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void aSecretThatIsNoneIsNamedAndNotRepeated() {
        assertThatThrownBy(() ->
                        start("outbox.control-center.roles.OPS=admin", "outbox.control-center.secret=c2hvcnQ=hidden"))
                .rootCause()
                .hasMessageContaining("outbox.control-center.secret must be Base64 of at least 32 bytes")
                .hasMessageNotContaining("hidden");
    }

    @Test
    void anOlderCopyOfTheAuditLogPutBackIsFoundByTheAnchor(@TempDir Path directory) throws Exception {
        try (ConfigurableApplicationContext context = start(
                "outbox.control-center.roles.OPS=admin",
                "outbox.control-center.audit-anchor=" + directory.resolve("audit.anchor"))) {
            JdbcTemplate database = new JdbcTemplate(context.getBean(DataSource.class));
            database.execute("CREATE TABLE older_head AS SELECT * FROM outbox_cc_audit_head");
            assertThat(get(context, "/outbox/api/v1/audit/export", "anna").body())
                    .contains("\"seq\":1,");
            assertThat(get(context, "/outbox/api/v1/audit/verify", "anna").body())
                    .contains("\"intact\":true");
            database.execute("DELETE FROM outbox_cc_audit");
            database.execute("DELETE FROM outbox_cc_audit_head");
            database.execute("INSERT INTO outbox_cc_audit_head SELECT * FROM older_head");
            assertThat(get(context, "/outbox/api/v1/audit/verify", "anna").body())
                    .contains("entry 1, which was certainly written, is not in the log");
        }
    }

    @Test
    void anAnchorThatCanNotBeWrittenIsNamedAtTheStart(@TempDir Path directory) {
        assertThatThrownBy(() -> start(
                        "outbox.control-center.roles.OPS=admin",
                        "outbox.control-center.audit-anchor=" + directory.resolve("missing/audit.anchor")))
                .rootCause()
                .hasMessageContaining("outbox.control-center.audit-anchor");
    }

    @Test
    void attemptsCanNotBeKeptForLessThanNoTime() {
        assertThatThrownBy(() -> start("outbox.control-center.attempts-retention=-1d"))
                .rootCause()
                .hasMessageContaining("outbox.control-center.attempts-retention");
    }

    @Test
    void withoutSecurityThePageIsForThisMachineAloneAndOnlyIfAllowed() throws Exception {
        try (ConfigurableApplicationContext context = start(List.of(WithoutSecurity.class, Handlers.class))) {
            assertThat(get(context, "/outbox/", null).statusCode()).isEqualTo(404);
        }
        try (ConfigurableApplicationContext context = start(
                List.of(WithoutSecurity.class, Handlers.class), "outbox.control-center.allow-without-security=true")) {
            String events = "/outbox/api/v1/apps/outbox/events";
            assertThat(get(context, events, null).statusCode()).isEqualTo(200);
            assertThat(get(context, "/outbox/api/v1/session", null).body())
                    .contains("(this machine)")
                    .contains("\"payloads\":false")
                    .contains("\"admin\":false");
            assertThat(status(context, events, "Host: localhost")).isEqualTo(200);
            assertThat(status(context, events, "Host: [::1]")).isEqualTo(200);
            assertThat(status(context, events, "Host: evil.example"))
                    .as("a foreign name that leads here")
                    .isEqualTo(401);
            assertThat(status(context, events, "Host: localhost\r\nX-Forwarded-For: 203.0.113.9"))
                    .as("somebody behind a proxy")
                    .isEqualTo(401);
        }
    }

    /** By hand: a client of the JDK does not send a foreign Host. */
    private static int status(ConfigurableApplicationContext context, String path, String headers) throws Exception {
        int port = Integer.parseInt(context.getEnvironment().getProperty("local.server.port"));
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\n" + headers + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.substring(9, 12));
        }
    }

    @Test
    void webhookEndpointsOfPropertiesAreSeenAndTheirSecretsRotated() throws Exception {
        try (ConfigurableApplicationContext context = start(
                List.of(Plain.class, Security.class, Handlers.class, Rotation.class, SecretsForReceivers.class),
                "outbox.control-center.heartbeat=200ms",
                "outbox.webhook.endpoints.crm.url=https://crm.example.com/hooks",
                "outbox.webhook.endpoints.crm.secrets="
                        + WebhookSecret.generate().reveal(),
                "outbox.webhook.endpoints.crm.event-types=order.placed")) {
            NodeReader nodes = new NodeReader(Application.of("x", context.getBean(DataSource.class)));
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(nodes.handlers())
                            .filteredOn(handler -> handler.name().equals("webhook-crm"))
                            .singleElement()
                            .satisfies(handler -> {
                                assertThat(handler.kind()).isEqualTo("webhook");
                                assertThat(handler.detail()).isEqualTo("crm.example.com");
                                assertThat(handler.actions()).containsExactly("enable", "pause", "rotate", "test");
                            }));
            nodes.command("rotate", "webhook-crm", false, "anna");
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(nodes.commands())
                            .singleElement()
                            .satisfies(command ->
                                    assertThat(command.outcome()).isEqualTo("a new secret for crm is in the vault")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox@example.com", "outbox"})
    void alertsGoByTheApplicationsOwnMailIfItHasASenderAddress(String username) throws Exception {
        try (ConfigurableApplicationContext context = start(
                List.of(Plain.class, Security.class, Handlers.class),
                "outbox.control-center.roles.OPS=admin",
                "spring.mail.host=mail.example.com",
                "spring.mail.username=" + username)) {
            assertThat(get(context, "/outbox/api/v1/alerts/channels", "anna").body())
                    .contains("\"mail\":" + username.contains("@"));
        }
    }

    @Test
    void alertsMayGoToAllowedAddressesAndByMailAndRotatedSecretsAreKept() throws Exception {
        List<String> signatures = new CopyOnWriteArrayList<>();
        HttpServer receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        receiver.createContext("/", exchange -> {
            signatures.add(exchange.getRequestHeaders().getFirst("webhook-signature"));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        receiver.start();
        try (ConfigurableApplicationContext context = start(
                List.of(Plain.class, Security.class, Handlers.class, SecretsForReceivers.class),
                "outbox.webhook.allow-http=true",
                "outbox.webhook.allowed-addresses=127.0.0.0/8",
                "outbox.webhook.endpoints.crm.url=http://127.0.0.1:"
                        + receiver.getAddress().getPort() + "/hooks",
                "outbox.webhook.endpoints.crm.secrets="
                        + WebhookSecret.generate().reveal(),
                "outbox.control-center.roles.OPS=admin",
                "outbox.control-center.alerts.allowed-addresses=127.0.0.0/8",
                "outbox.control-center.alerts.allow-http=true",
                "outbox.control-center.alerts.mail.host=mail.example.com",
                "outbox.control-center.alerts.mail.from=outbox@example.com",
                "outbox.control-center.public-url=https://shop.example.com/outbox/")) {
            assertThat(get(context, "/outbox/api/v1/alerts/channels", "anna").body())
                    .contains("\"mail\":true");
            WebhookPublisher crm = context.getBean(WebhookPublisher.class);
            context.getBean(JdbcWebhookSecrets.class).rotate(crm.endpoint());
            crm.sendTest().toCompletableFuture().get(1, TimeUnit.MINUTES);
            assertThat(SecretsForReceivers.GIVEN).hasSize(1);
            assertThat(signatures)
                    .singleElement()
                    .asString()
                    .as("by the old and the new secret")
                    .contains(" v1,");
        } finally {
            receiver.stop(0);
        }
    }
}
