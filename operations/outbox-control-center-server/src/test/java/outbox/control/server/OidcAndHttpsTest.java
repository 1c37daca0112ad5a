package outbox.control.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.sql.DataSource;
import no.nav.security.mock.oauth2.MockOAuth2Server;
import no.nav.security.mock.oauth2.token.DefaultOAuth2TokenCallback;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.Actor;
import outbox.control.access.Rights;
import outbox.control.source.Application;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** People who log in at an OpenID Connect provider that runs here, over HTTPS with a certificate made for this test. */
@Timeout(600)
class OidcAndHttpsTest {
    private static final String STORE_PASSWORD = "only-for-this-test";

    @TempDir
    private static Path directory;

    private static MockOAuth2Server provider;
    private static ConfigurableApplicationContext server;
    private static SSLContext trust;
    private static String base;

    @BeforeAll
    static void start() throws Exception {
        Path store = directory.resolve("keys.p12");
        keyStore(store);
        trust = trusting(store);
        provider = new MockOAuth2Server();
        provider.start();
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        try (Connection conn = database.dataSource().getConnection()) {
            Application.of("orders", database.dataSource()).store().schema().apply(conn);
        }
        Map<String, Object> settings = new HashMap<>();
        settings.put("server.ssl.key-store", store.toString());
        settings.put("server.ssl.key-store-password", STORE_PASSWORD);
        settings.put("outbox.control-center.data-dir", directory.resolve("data").toString());
        settings.put("outbox.control-center.applications.orders.url", database.jdbcUrl());
        settings.put("outbox.control-center.applications.orders.username", database.username());
        settings.put("outbox.control-center.applications.orders.password", database.password());
        settings.put("outbox.control-center.oidc.roles.order-team", "orders=operator");
        settings.put("outbox.control-center.oidc.roles.everybody", "orders=viewer");
        settings.put("outbox.control-center.oidc.payloads", "auditors");
        settings.put("spring.security.oauth2.client.registration.sso.client-id", "outbox");
        settings.put("spring.security.oauth2.client.registration.sso.client-secret", "only-for-this-test");
        settings.put("spring.security.oauth2.client.registration.sso.scope", "openid");
        settings.put("spring.security.oauth2.client.registration.sso.client-name", "Company login");
        settings.put(
                "spring.security.oauth2.client.provider.sso.issuer-uri",
                provider.issuerUrl("company").toString());
        SpringApplication application = new SpringApplication(ControlCenterServer.class);
        application.setDefaultProperties(settings);
        server = application.run("--server.port=0");
        base = "https://localhost:" + server.getEnvironment().getProperty("local.server.port", "0");
        server.getBean(Accounts.class).create("anna", "correct horse battery", Rights.everything(), Actor.PROGRAM);
    }

    @AfterAll
    static void stop() {
        server.close();
        provider.shutdown();
    }

    @Test
    void whoIsInAGroupGetsItsRole() throws Exception {
        HttpClient browser = browser();
        assertThat(get(browser, "/outbox/api/v1/session").body())
                .contains("\"logins\":{\"Company login\":\"/oauth2/authorization/sso\"}");
        HttpResponse<String> page = logIn(browser, List.of("order-team", "everybody"));
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.uri().getPath()).isEqualTo("/outbox/");
        String session = get(browser, "/outbox/api/v1/session").body();
        assertThat(session)
                .contains("\"operator\":\"oidc:someone\"")
                .contains("\"act\":true")
                .contains("\"payloads\":false")
                .contains("\"admin\":false");
        assertThat(get(browser, "/outbox/api/v1/apps/orders/events").statusCode())
                .isEqualTo(200);
        assertThat(get(browser, "/outbox/api/v1/users").statusCode()).isEqualTo(403);
    }

    @Test
    void theAuditLogNamesTheSubjectWhateverItsNameIs() throws Exception {
        HttpClient browser = browser();
        provider.enqueueCallback(new DefaultOAuth2TokenCallback(
                "company",
                "s-4711",
                "JWT",
                List.of("outbox"),
                Map.of("groups", List.of("order-team"), "preferred_username", "vera"),
                3600));
        assertThat(get(browser, "/oauth2/authorization/sso").statusCode()).isEqualTo(200);
        assertThat(get(browser, "/outbox/api/v1/session").body()).contains("\"operator\":\"oidc:vera (s-4711)\"");
        assertThat(server.getBean(ControlCenter.class).audit().page(null, null, 10))
                .filteredOn(entry -> entry.actor().equals("oidc:vera (s-4711)"))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.action()).isEqualTo("login");
                    assertThat(entry.detail()).contains("sso").contains("orders=operator");
                });
    }

    @Test
    void whoseLoginCanNotBeWrittenDownIsNotIn() throws Exception {
        HttpClient browser = browser();
        execute("ALTER TABLE outbox_cc_audit RENAME TO audit_away");
        try {
            assertThat(logIn(browser, List.of("order-team")).statusCode()).isEqualTo(500);
        } finally {
            execute("ALTER TABLE audit_away RENAME TO outbox_cc_audit");
        }
        assertThat(get(browser, "/outbox/api/v1/session").body()).contains("\"operator\":null");
        assertThat(get(browser, "/outbox/api/v1/apps/orders/events").statusCode())
                .isEqualTo(401);
    }

    /** In the control center's own database. */
    private static void execute(String sql) throws SQLException {
        try (Connection conn =
                        server.getBean("controlDatabase", DataSource.class).getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void whoIsInNoGroupThatCountsSeesNothing() throws Exception {
        HttpClient browser = browser();
        logIn(browser, List.of("strangers"));
        assertThat(get(browser, "/outbox/api/v1/session").body())
                .contains("\"operator\":\"oidc:someone\"")
                .contains("\"applications\":[]");
        assertThat(get(browser, "/outbox/api/v1/apps/orders/events").statusCode())
                .isEqualTo(404);
    }

    @Test
    void cookiesAreForHttpsAloneAndBrowsersAreToldToStayThere() throws Exception {
        HttpResponse<String> answer = get(browser(), "/outbox/api/v1/session");
        assertThat(answer.headers().firstValue("Set-Cookie"))
                .hasValueSatisfying(cookie -> assertThat(cookie)
                        .contains("; Secure")
                        .contains("; HttpOnly")
                        .contains("SameSite=Lax"));
        assertThat(answer.headers().firstValue("Strict-Transport-Security")).isPresent();
    }

    private static HttpResponse<String> logIn(HttpClient browser, List<String> groups) throws Exception {
        provider.enqueueCallback(new DefaultOAuth2TokenCallback(
                "company", "someone", "JWT", List.of("outbox"), Map.of("groups", groups), 3600));
        return get(browser, "/oauth2/authorization/sso");
    }

    private static HttpClient browser() {
        return HttpClient.newBuilder()
                .sslContext(trust)
                .cookieHandler(new CookieManager())
                .followRedirects(HttpClient.Redirect.ALWAYS)
                .build();
    }

    private static HttpResponse<String> get(HttpClient browser, String path) throws Exception {
        return browser.send(
                HttpRequest.newBuilder(URI.create(base + path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static void keyStore(Path file) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        STORE_PASSWORD)
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
    }

    private static SSLContext trusting(Path file) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, STORE_PASSWORD.toCharArray());
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
