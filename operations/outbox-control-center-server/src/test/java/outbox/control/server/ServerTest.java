package outbox.control.server;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.io.IOException;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import outbox.control.ControlCenter;
import outbox.control.access.FirstAdmin;
import outbox.control.audit.AuditEntry;
import outbox.control.source.Application;
import outbox.testing.ManualClock;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** The program from its first start on: nobody, the first admin, sessions, tokens, guessing. */
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ServerTest {
    private static final String NAME = "anna";
    private static final String PASSWORD = "correct horse battery";

    private static final ManualClock CLOCK = new ManualClock(Instant.now());

    /** Time stands still unless a test moves it. */
    static class ManualTime {
        @Bean
        @Primary
        InstantSource manualClock() {
            return CLOCK;
        }

        @Bean
        HttpSessionListener sessionsSeen() {
            return new HttpSessionListener() {
                @Override
                public void sessionCreated(HttpSessionEvent event) {
                    lastSession = event.getSession();
                }
            };
        }
    }

    @TempDir
    private static Path directory;

    private static ConfigurableApplicationContext server;
    private static int port;
    private static volatile HttpSession lastSession;

    @BeforeAll
    static void start() throws Exception {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        try (Connection conn = database.dataSource().getConnection()) {
            Application.of("orders", database.dataSource()).store().schema().apply(conn);
        }
        SpringApplication application = new SpringApplication(ControlCenterServer.class, ManualTime.class);
        application.setDefaultProperties(Map.of(
                "outbox.control-center.data-dir", directory.resolve("data").toString(),
                "outbox.control-center.applications.orders.url", database.jdbcUrl(),
                "outbox.control-center.applications.orders.username", database.username(),
                "outbox.control-center.applications.orders.password", database.password()));
        server = application.run("--server.port=0");
        port = Integer.parseInt(server.getEnvironment().getProperty("local.server.port", "0"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    @Order(1)
    void beforeTheFirstAdminNothingIsToBeHad() throws Exception {
        Browser browser = new Browser();
        assertThat(browser.get("/session")).contains("\"setup\":true").contains("\"operator\":null");
        assertThat(browser.status("GET", "/apps/orders/events", null)).isEqualTo(401);
        assertThat(browser.status(
                        "POST", "/setup", "{\"token\":\"guess\",\"name\":\"eve\",\"password\":\"" + PASSWORD + "\"}"))
                .isEqualTo(403);
        assertThat(browser.logIn(NAME, PASSWORD)).isEqualTo(401);
    }

    @Test
    @Order(2)
    void thePrintedTokenMakesTheFirstAdminOnce() throws Exception {
        String token = server.getBean(FirstAdmin.class).token();
        String body = "{\"token\":\"" + token + "\",\"name\":\"" + NAME + "\",\"password\":\"" + PASSWORD + "\"}";
        Browser browser = new Browser();
        browser.get("/session");
        assertThat(browser.status("POST", "/setup", body.replace(PASSWORD, "short")))
                .isEqualTo(400);
        assertThat(browser.status("POST", "/setup", body)).isEqualTo(201);
        long entries = audit().size();
        assertThat(browser.status("POST", "/setup", body.replace(NAME, "eve"))).isEqualTo(403);
        assertThat(browser.status("POST", "/setup", "{}")).isEqualTo(403);
        assertThat(audit()).as("anybody could fill the log").hasSize((int) entries);
        assertThat(browser.get("/session")).contains("\"setup\":false");
    }

    @Test
    @Order(3)
    void whoLogsInGetsANewSessionThatScriptsCanNotRead() throws Exception {
        Browser browser = new Browser();
        browser.get("/session");
        String before = browser.cookie().getValue();
        assertThat(browser.logIn(NAME, PASSWORD)).isEqualTo(204);
        HttpCookie cookie = browser.cookie();
        assertThat(cookie.getValue()).isNotEqualTo(before);
        assertThat(cookie.isHttpOnly()).isTrue();
        assertThat(browser.setCookie).containsIgnoringCase("SameSite=Strict");
        browser.get("/session");
        assertThat(browser.status("GET", "/apps/orders/events", null)).isEqualTo(200);
        assertThat(browser.logOut()).isEqualTo(204);
        assertThat(browser.status("GET", "/apps/orders/events", null)).isEqualTo(401);
    }

    @Test
    @Order(3)
    void onlyWhoLogsInKeepsHisSessionForLong() throws Exception {
        Browser browser = new Browser();
        browser.get("/session");
        HttpSession session = lastSession;
        assertThat(session.getMaxInactiveInterval()).isEqualTo(600);
        assertThat(browser.logIn(NAME, PASSWORD)).isEqualTo(204);
        assertThat(session.getMaxInactiveInterval()).isEqualTo(8 * 3600);
        assertThat(session.getId()).startsWith(browser.cookie().getValue());
    }

    @Test
    @Order(4)
    void aChangeWithoutTheSessionsTokenIsRefused() throws Exception {
        Browser browser = new Browser();
        browser.get("/session");
        assertThat(browser.logIn(NAME, PASSWORD)).isEqualTo(204);
        browser.csrf = null;
        assertThat(browser.status("POST", "/users", "{}")).isEqualTo(403);
        browser.get("/session");
        assertThat(browser.status("POST", "/users", "{}")).isEqualTo(400);
    }

    @Test
    @Order(5)
    void tokensWorkUntilTheyAreEnded() throws Exception {
        Browser admin = new Browser();
        admin.get("/session");
        admin.logIn(NAME, PASSWORD);
        admin.get("/session");
        String made = admin.send("POST", "/tokens", "{\"name\":\"ci\",\"days\":1,\"roles\":{\"orders\":\"viewer\"}}")
                .body();
        String secret = find("\"secret\":\"(obx_[^\"]+)\"", made);
        String id = find("\"id\":\"([^\"]+)\"", made);
        assertThat(admin.get("/tokens")).contains(id).doesNotContain(secret);

        Browser program = new Browser();
        program.authorization = "Bearer " + secret;
        assertThat(program.status("GET", "/apps/orders/events", null)).isEqualTo(200);
        assertThat(program.status("GET", "/users", null)).isEqualTo(403);
        program.authorization = "Bearer " + secret + "x";
        assertThat(program.status("GET", "/apps/orders/events", null)).isEqualTo(401);

        assertThat(admin.status("DELETE", "/tokens/" + id, null)).isEqualTo(200);
        program.authorization = "Bearer " + secret;
        assertThat(program.status("GET", "/apps/orders/events", null)).isEqualTo(401);
    }

    @Test
    @Order(6)
    void whoeverIsDisabledIsOutAtOnce() throws Exception {
        Browser admin = new Browser();
        admin.get("/session");
        admin.logIn(NAME, PASSWORD);
        admin.get("/session");
        assertThat(admin.status(
                        "POST",
                        "/users",
                        "{\"name\":\"ben\",\"password\":\"" + PASSWORD + "\",\"roles\":{\"orders\":\"viewer\"}}"))
                .isEqualTo(201);
        Browser ben = new Browser();
        ben.get("/session");
        assertThat(ben.logIn("ben", PASSWORD)).isEqualTo(204);
        assertThat(ben.status("GET", "/apps/orders/events", null)).isEqualTo(200);
        assertThat(admin.status("POST", "/users/ben/disable", "{}")).isEqualTo(200);
        assertThat(ben.status("GET", "/apps/orders/events", null)).isEqualTo(401);
        assertThat(new Browser().logInFresh("ben", PASSWORD)).isEqualTo(401);
    }

    @Test
    @Order(7)
    void aNewPasswordEndsTheSessionsOfTheOldOne() throws Exception {
        String next = "an even better horse";
        Browser admin = new Browser();
        admin.logInFresh(NAME, PASSWORD);
        admin.get("/session");
        assertThat(admin.status(
                        "POST",
                        "/users",
                        "{\"name\":\"cleo\",\"password\":\"" + PASSWORD + "\",\"roles\":{\"orders\":\"viewer\"}}"))
                .isEqualTo(201);
        Browser thief = new Browser();
        assertThat(thief.logInFresh("cleo", PASSWORD)).isEqualTo(204);
        Browser cleo = new Browser();
        assertThat(cleo.logInFresh("cleo", PASSWORD)).isEqualTo(204);
        assertThat(cleo.get("/session")).contains("\"password\":true");
        assertThat(cleo.status("POST", "/password", "{\"current\":\"guess\",\"password\":\"" + next + "\"}"))
                .isEqualTo(403);
        assertThat(cleo.status("POST", "/password", "{\"current\":\"" + PASSWORD + "\",\"password\":\"short\"}"))
                .isEqualTo(400);
        assertThat(cleo.status("POST", "/password", "{\"current\":\"" + PASSWORD + "\",\"password\":\"" + next + "\"}"))
                .isEqualTo(200);
        assertThat(cleo.status("GET", "/apps/orders/events", null))
                .as("her own session goes on")
                .isEqualTo(200);
        assertThat(thief.status("GET", "/apps/orders/events", null)).isEqualTo(401);
        assertThat(new Browser().logInFresh("cleo", PASSWORD)).isEqualTo(401);
        assertThat(cleo.logInFresh("cleo", next)).isEqualTo(204);
        assertThat(admin.status("POST", "/users/cleo/password", "{\"password\":\"" + PASSWORD + "\"}"))
                .isEqualTo(200);
        assertThat(cleo.status("GET", "/apps/orders/events", null))
                .as("an admin gave her another one")
                .isEqualTo(401);
    }

    @Test
    @Order(8)
    void otherRolesCountAtOnceAndNobodyChangesHisOwn() throws Exception {
        Browser admin = new Browser();
        admin.logInFresh(NAME, PASSWORD);
        admin.get("/session");
        Browser cleo = new Browser();
        assertThat(cleo.logInFresh("cleo", PASSWORD)).isEqualTo(204);
        assertThat(cleo.status("GET", "/users", null)).isEqualTo(403);
        String admins = "{\"roles\":{\"*\":\"admin\"}}";
        assertThat(admin.status("PUT", "/users/cleo", admins)).isEqualTo(200);
        assertThat(cleo.status("GET", "/users", null)).isEqualTo(200);
        assertThat(admin.status("PUT", "/users/cleo", "{\"roles\":{\"nowhere\":\"admin\"}}"))
                .isEqualTo(400);
        assertThat(admin.status("PUT", "/users/nobody", admins)).isEqualTo(404);
        assertThat(admin.status("PUT", "/users/" + NAME, "{\"roles\":{\"*\":\"viewer\"}}"))
                .isEqualTo(409);
        assertThat(admin.status("POST", "/users/" + NAME + "/password", "{\"password\":\"" + PASSWORD + "\"}"))
                .isEqualTo(409);
    }

    @Test
    @Order(9)
    void theCurrentPasswordCanNotBeGuessedInAnOpenSession() throws Exception {
        Browser cleo = new Browser();
        assertThat(cleo.logInFresh("cleo", PASSWORD)).isEqualTo(204);
        cleo.get("/session");
        for (int i = 0; i < 5; i++) {
            assertThat(cleo.status(
                            "POST", "/password", "{\"current\":\"guess " + i + "\",\"password\":\"irrelevant here\"}"))
                    .isEqualTo(403);
        }
        assertThat(cleo.status(
                        "POST", "/password", "{\"current\":\"" + PASSWORD + "\",\"password\":\"irrelevant here\"}"))
                .isEqualTo(429);
    }

    @Test
    @Order(10)
    void whatIsNotTheControlCenterDoesNotExist() throws Exception {
        assertThat(new Browser().raw("/actuator/env")).isIn(401, 403, 404);
        assertThat(new Browser().raw("/outbox/")).isEqualTo(200);
    }

    @Test
    @Order(11)
    void guessingIsSlowedDown() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(new Browser().logInFresh(NAME, "wrong password " + i)).isEqualTo(401);
        }
        assertThat(new Browser().logInFresh(NAME, PASSWORD))
                .as("even the right one has to wait now")
                .isEqualTo(429);
        CLOCK.advance(Duration.ofSeconds(2));
        assertThat(new Browser().logInFresh(NAME, PASSWORD)).isEqualTo(204);
    }

    @Test
    @Order(12)
    void guessesFromElsewhereDoNotLockOutAKnownDevice() throws Exception {
        Browser known = new Browser();
        assertThat(known.logInFresh(NAME, PASSWORD)).isEqualTo(204);
        for (int i = 0; i < 5; i++) {
            assertThat(new Browser().logInFresh(NAME, "wrong password " + i)).isEqualTo(401);
        }
        assertThat(new Browser().logInFresh(NAME.toUpperCase(Locale.ROOT), PASSWORD))
                .as("one account, however it is written")
                .isEqualTo(429);
        assertThat(known.logInFresh(NAME, PASSWORD)).isEqualTo(204);
        Browser thief = new Browser();
        known.cookies.getCookieStore().getCookies().stream()
                .filter(cookie -> cookie.getName().startsWith("OUTBOX_DEVICE_"))
                .forEach(cookie -> {
                    cookie.setValue(cookie.getValue().replaceFirst("^.", "x"));
                    thief.cookies.getCookieStore().add(URI.create("http://127.0.0.1:" + port), cookie);
                });
        assertThat(thief.logInFresh(NAME, PASSWORD)).as("a forged cookie").isEqualTo(429);
        CLOCK.advance(Duration.ofSeconds(2));
    }

    @Test
    @Order(13)
    void aLoginThatAPageOfAnotherSiteSendsIsRefused() throws Exception {
        for (String[] foreign : new String[][] {{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}}) {
            Browser browser = new Browser();
            browser.get("/session");
            browser.more = foreign;
            HttpResponse<String> login = browser.send(
                    "POST",
                    "/login",
                    "username=" + NAME + "&password=" + PASSWORD.replace(' ', '+'),
                    "application/x-www-form-urlencoded");
            assertThat(login.statusCode()).isEqualTo(403);
            assertThat(login.body()).contains("another site");
        }
    }

    private static List<AuditEntry> audit() throws Exception {
        return server.getBean(ControlCenter.class).audit().page(null, null, 200);
    }

    private static String find(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(text.replaceAll("obx_[\\w-]+", "obx_…")).isTrue();
        return matcher.group(1);
    }

    /** Keeps cookies and the session's token, as the page does. */
    private static final class Browser {
        private final CookieManager cookies = new CookieManager();
        private final HttpClient client =
                HttpClient.newBuilder().cookieHandler(cookies).build();
        private String csrf;
        private String authorization;
        private String setCookie = "";
        private String[] more = {};

        String get(String path) throws IOException, InterruptedException {
            String body = send("GET", path, null).body();
            Matcher token = Pattern.compile("\"X-CSRF-TOKEN\":\"([^\"]+)\"").matcher(body);
            if (token.find()) {
                csrf = token.group(1);
            }
            return body;
        }

        int status(String method, String path, String body) throws IOException, InterruptedException {
            return send(method, path, body).statusCode();
        }

        HttpResponse<String> send(String method, String path, String body) throws IOException, InterruptedException {
            return send(method, path, body == null ? "" : body, "application/json");
        }

        private HttpResponse<String> send(String method, String path, String body, String type)
                throws IOException, InterruptedException {
            HttpRequest.Builder request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port + "/outbox/api/v1" + path))
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .header("Content-Type", type)
                    .header("X-Outbox-Request", "1");
            if (csrf != null) {
                request.header("X-CSRF-TOKEN", csrf);
            }
            if (more.length > 0) {
                request.headers(more);
            }
            if (authorization != null) {
                request.header("Authorization", authorization);
            }
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            response.headers().firstValue("Set-Cookie").ifPresent(value -> setCookie = value);
            return response;
        }

        int logInFresh(String name, String password) throws IOException, InterruptedException {
            get("/session");
            return logIn(name, password);
        }

        int logIn(String name, String password) throws IOException, InterruptedException {
            String form = "username=" + URLEncoder.encode(name, StandardCharsets.UTF_8) + "&password="
                    + URLEncoder.encode(password, StandardCharsets.UTF_8);
            return send("POST", "/login", form, "application/x-www-form-urlencoded")
                    .statusCode();
        }

        int logOut() throws IOException, InterruptedException {
            return status("POST", "/logout", "");
        }

        int raw(String path) throws IOException, InterruptedException {
            return client.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }

        HttpCookie cookie() {
            return cookies.getCookieStore().getCookies().stream()
                    .filter(cookie -> cookie.getName().equals("OUTBOX_SESSION"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
