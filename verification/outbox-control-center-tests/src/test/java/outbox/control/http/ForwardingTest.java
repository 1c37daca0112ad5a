package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static outbox.control.OutboxTable.event;

import com.sun.net.httpserver.HttpServer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditEntry;
import outbox.control.audit.AuditKey;
import outbox.control.remote.RemoteApplication;
import outbox.testing.server.EmbeddedH2;

/** An application over HTTP: rights, audit on both sides, and what happens while it is away. */
@Timeout(120)
class ForwardingTest {
    private static final String APP = "/api/v1/apps/orders";
    private static final String[] CHANGE = {"X-Outbox-Request", "1", "Content-Type", "application/json"};
    private static final Operator FULL_TOKEN =
            Operator.everywhere("token center", Role.ADMIN, true).withClones();

    @TempDir
    private Path directory;

    private OutboxTable orders;
    private OutboxTable billing;
    private ControlCenter own;
    private EmbeddedCenter embedded;
    private ControlCenter center;
    private WebFixture web;

    @BeforeEach
    void start() throws Exception {
        orders = OutboxTable.on(EmbeddedH2.shared());
        billing = OutboxTable.on(EmbeddedH2.shared(), "billing");
        own = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(orders.application())
                .sampleInterval(Duration.ofMillis(100))
                .build();
    }

    @AfterEach
    void stop() throws Exception {
        if (web != null) {
            web.close();
        }
        if (embedded != null) {
            embedded.close();
        }
        own.close();
    }

    private void embed(Operator token) throws Exception {
        embedded = new EmbeddedCenter(own, token, Files.createDirectory(directory.resolve("embedded")));
        serve(embedded.overHttp());
        await().until(() -> center.remotes().iterator().next().latest().sample() != null);
    }

    /** A server with billing beside it, which it reaches directly. */
    private void serve(RemoteApplication remote) throws Exception {
        center = ControlCenter.builder(billing.dataSource(), new AuditKey(new byte[32]))
                .application(billing.application())
                .application(remote)
                .sampleInterval(Duration.ofMillis(100))
                .alertInterval(Duration.ofMillis(100))
                .build();
        web = new WebFixture(
                new ControlCenterServlet(
                        center,
                        WebFixture.operators(Map.of(
                                "anna", Operator.everywhere("änna", Role.OPERATOR, true),
                                "root", Operator.everywhere("root", Role.ADMIN, false),
                                "vera", Operator.everywhere("vera", Role.VIEWER, false),
                                "ben", new Operator("ben", Map.of("billing", Role.OPERATOR), true)))),
                Files.createDirectory(directory.resolve("server")));
    }

    @Test
    void aRetryIsAuditedOnBothSidesUnderTheNameOfTheUser() throws Exception {
        embed(FULL_TOKEN);
        String id = orders.dead(event("Order", "7").build(), "java.lang.IllegalStateException: gone");

        HttpResponse<String> retried =
                web.send("POST", APP + "/events/" + id + "/retry", "anna", "{\"reason\":\"INC-42\"}", CHANGE);

        assertThat(retried.statusCode()).as(retried.body()).isEqualTo(200);
        assertThat(web.send("GET", APP + "/events/" + id, "vera", null).body()).contains("\"state\":\"new\"");
        assertThat(own.audit().page(null, "orders", 10))
                .filteredOn(entry -> entry.action().equals("event.retry"))
                .extracting(AuditEntry::actor, AuditEntry::outcome, AuditEntry::detail)
                .containsExactly(tuple("änna (token center)", "ok", "INC-42"));
        assertThat(center.audit().page(null, "orders", 10))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::outcome)
                .containsExactly(tuple("änna", "forward POST", "ok"), tuple("änna", "request POST", "started"));
    }

    @Test
    void payloadsAndExportsAreAuditedOnBothSides() throws Exception {
        embed(FULL_TOKEN);
        String id = orders.insert(event("Order", "7").build());

        assertThat(web.send("GET", APP + "/events/" + id + "/payload", "anna", null)
                        .body())
                .contains("payload");
        HttpResponse<String> export = web.send("GET", APP + "/export?format=csv", "vera", null);

        assertThat(export.body()).contains(id);
        assertThat(export.headers().firstValue("Content-Type").orElse("")).startsWith("text/csv");
        assertThat(export.headers().firstValue("Content-Disposition").orElse(""))
                .startsWith("attachment");
        assertThat(center.audit().page(null, "orders", 10))
                .extracting(AuditEntry::actor, AuditEntry::action)
                .containsExactly(tuple("vera", "forward GET"), tuple("änna", "forward GET"));
        assertThat(own.audit().page(null, "orders", 10))
                .extracting(AuditEntry::actor, AuditEntry::action)
                .containsExactly(
                        tuple("vera (token center)", "events.export"), tuple("änna (token center)", "payload.view"));
    }

    @Test
    void theRolesOfTheServerDecide() throws Exception {
        embed(FULL_TOKEN);
        String id = orders.insert(event("Order", "7").build());
        long there = own.audit().page(null, null, 100).size();

        assertThat(status("POST", APP + "/events/" + id + "/park", "vera")).isEqualTo(403);
        assertThat(status("GET", APP + "/events/" + id + "/payload", "root")).isEqualTo(403);
        assertThat(status("POST", APP + "/events/" + id + "/clone", "root")).isEqualTo(403);
        assertThat(status("GET", APP + "/events", "ben")).isEqualTo(404);
        assertThat(status("GET", APP + "/events", null)).isEqualTo(401);
        assertThat(web.send("GET", "/api/v1/apps", "ben", null).body()).doesNotContain("orders");
        assertThat(own.audit().page(null, null, 100))
                .as("nothing was forwarded")
                .hasSize((int) there);
    }

    @Test
    void theTokenBoundsTheRightsAndThePageKnows() throws Exception {
        embed(Operator.everywhere("token looking", Role.VIEWER, false));
        String id = orders.insert(event("Order", "7").build());

        assertThat(web.send("GET", "/api/v1/session", "anna", null).body())
                .containsPattern("\\{[^{}]*\"name\":\"orders\"[^{}]*\\}")
                .doesNotContainPattern("\\{[^{}]*\"name\":\"orders\"[^{}]*\"act\":true[^{}]*\\}")
                .doesNotContainPattern("\\{[^{}]*\"act\":true[^{}]*\"name\":\"orders\"[^{}]*\\}");
        assertThat(status("GET", APP + "/events/" + id, "anna")).isEqualTo(200);
        assertThat(status("POST", APP + "/events/" + id + "/park", "anna")).isEqualTo(403);
        assertThat(status("GET", APP + "/events/" + id + "/payload", "anna")).isEqualTo(403);
        assertThat(center.audit().page(null, "orders", 100))
                .filteredOn(entry -> entry.action().equals("forward POST"))
                .extracting(AuditEntry::outcome)
                .containsExactly("refused");
    }

    @Test
    void theHeadersOfAUserOnlyReduceRightsAndNeedAToken() throws Exception {
        embed(Operator.everywhere("token looking", Role.OPERATOR, false));
        String id = orders.insert(event("Order", "7").build());
        String park = APP + "/events/" + id + "/park";
        String payload = APP + "/events/" + id + "/payload";
        assertThat(direct("POST", park, "eve", "viewer")).isEqualTo(403);
        assertThat(direct("GET", payload, "eve", "admin payloads clones")).isEqualTo(403);
        assertThat(direct("GET", APP + "/events", "eve", "emperor")).isEqualTo(400);
        assertThat(direct("GET", APP + "/events", "a%0Ab", "viewer")).isEqualTo(400);
        assertThat(direct("GET", APP + "/events", "%zz", "viewer")).isEqualTo(400);
        assertThat(direct("GET", APP + "/events", "e".repeat(1000), "viewer")).isEqualTo(200);
        assertThat(direct("POST", park, "e".repeat(1000), "operator")).isEqualTo(200);
        assertThat(own.audit().page(null, "orders", 1).get(0).actor()).endsWith("e… (token looking)");
        assertThat(web.send("GET", "/api/v1/apps/billing/events", "anna", null, "X-Outbox-Operator", "root")
                        .statusCode())
                .as("a session cannot name somebody else")
                .isEqualTo(400);
    }

    private int direct(String method, String path, String user, String rights) throws Exception {
        return embedded.web()
                .send(
                        method,
                        path,
                        null,
                        method.equals("GET") ? null : "{}",
                        "Authorization",
                        "Bearer " + EmbeddedCenter.TOKEN,
                        "X-Outbox-Request",
                        "1",
                        "X-Outbox-Operator",
                        user,
                        "X-Outbox-Operator-Rights",
                        rights)
                .statusCode();
    }

    private int status(String method, String path, String who) throws Exception {
        return web.send(method, path, who, method.equals("GET") ? null : "{}", CHANGE)
                .statusCode();
    }

    @Test
    void requestsAreForwardedOnceSoTheyCannotGoInACircle() throws Exception {
        embed(FULL_TOKEN);
        assertThat(web.send("GET", APP + "/events", "vera", null, "X-Outbox-Forwarded", "1")
                        .statusCode())
                .isEqualTo(508);
    }

    @Test
    void liveMetricsArriveWithoutAStreamToTheApplication() throws Exception {
        embed(FULL_TOKEN);
        HttpResponse<InputStream> stream = web.client()
                .send(
                        HttpRequest.newBuilder(web.uri(APP + "/stream"))
                                .header(WebFixture.WHO, "vera")
                                .build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = stream.body()) {
            orders.dead(event("Order", "7").build(), "java.lang.IllegalStateException: gone");
            StringBuilder seen = new StringBuilder();
            while (!seen.toString().contains("\"dead\":1,")) { // bounded by the timeout of the test
                seen.append((char) body.read());
            }
            assertThat(seen).contains("event: sample");
        }
    }

    @Test
    void whileItIsAwayItsPagesSaySoAndOthersWorkAndItComesBack() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        serve(RemoteApplication.of("orders", "http://127.0.0.1:" + port + "/outbox", EmbeddedCenter.TOKEN));
        String rule = "{\"name\":\"away\",\"application\":\"orders\",\"metric\":\"unreachable\",\"threshold\":0.5,"
                + "\"forSeconds\":0,\"reminderMinutes\":60,\"enabled\":true}";
        assertThat(web.send("POST", "/api/v1/alerts/rules", "root", rule, CHANGE)
                        .statusCode())
                .isEqualTo(201);
        await().until(() -> center.remotes().iterator().next().isAway());

        assertThat(web.send("GET", "/api/v1/apps", "vera", null).body())
                .contains("\"name\":\"billing\"")
                .contains("the application 'orders' cannot be reached over HTTP: cannot connect to it");
        assertThat(status("GET", "/api/v1/apps/billing/events", "vera")).isEqualTo(200);
        assertThat(status("GET", APP + "/events", "vera")).isEqualTo(503);
        assertThat(web.send("GET", APP + "/status", "vera", null).body()).contains("\"away\":true");
        assertThat(web.send("GET", APP + "/overview", "vera", null).body()).contains("cannot connect to it");
        assertThat(web.send("GET", APP + "/alerts", "vera", null).statusCode()).isEqualTo(200);
        assertThat(status("POST", APP + "/events/x/retry", "anna")).isEqualTo(503);
        assertThat(center.audit().page(null, "orders", 1).get(0).outcome()).isEqualTo("failed");
        await().until(() -> !center.alerts().of("orders").isEmpty());

        embedded = new EmbeddedCenter(own, FULL_TOKEN, Files.createDirectory(directory.resolve("embedded")), port);
        await().until(() -> !center.remotes().iterator().next().isAway());
        assertThat(status("GET", APP + "/events", "vera")).isEqualTo(200);
    }

    @Test
    void redirectsAreNotFollowed() throws Exception {
        AtomicInteger followed = new AtomicInteger();
        HttpServer target = stub(exchange -> followed.incrementAndGet());
        HttpServer redirecting = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        redirecting.createContext("/", exchange -> {
            exchange.getResponseHeaders()
                    .add("Location", "http://127.0.0.1:" + target.getAddress().getPort() + "/");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        redirecting.start();
        try {
            serve(at(redirecting));
            await().until(() -> center.remotes().iterator().next().isAway());
            assertThat(web.send("GET", APP + "/events", "vera", null).body())
                    .contains("answered with a redirect (302), which is not followed");
            assertThat(followed).hasValue(0);
        } finally {
            redirecting.stop(0);
            target.stop(0);
        }
    }

    @Test
    void aLoginPageInsteadOfTheApiIsNotShown() throws Exception {
        HttpServer login = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        login.createContext("/", exchange -> {
            byte[] page = "<script>alert(1)</script>".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "text/html");
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        login.start();
        try {
            serve(at(login));
            await().until(() -> center.remotes().iterator().next().isAway());
            assertThat(web.send("GET", APP + "/events", "vera", null).body())
                    .contains("without JSON; check the API URL")
                    .doesNotContain("script");
        } finally {
            login.stop(0);
        }
    }

    @Test
    void anApplicationThatNeverAnswersIsGivenUpAndDelaysNobody() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) { // accepts, says nothing
            serve(RemoteApplication.of(
                            "orders", "http://127.0.0.1:" + silent.getLocalPort() + "/outbox", EmbeddedCenter.TOKEN)
                    .withTimeout(Duration.ofMillis(300)));
            assertThat(status("GET", "/api/v1/apps", "vera")).isEqualTo(200);
            await().until(() -> center.remotes().iterator().next().isAway());
            assertThat(web.send("GET", APP + "/events", "vera", null).body()).contains("no answer within 300 ms");
            assertThat(status("GET", "/api/v1/apps/billing/events", "vera")).isEqualTo(200);
        }
    }

    @Test
    void aRefusedTokenDoesNotLogTheUserOut() throws Exception {
        embedded = new EmbeddedCenter(own, FULL_TOKEN, Files.createDirectory(directory.resolve("embedded")));
        serve(RemoteApplication.of("orders", embedded.web().uri("").toString(), "another-token"));
        await().until(() -> center.remotes().iterator().next().isAway());
        HttpResponse<String> refused = web.send("GET", APP + "/events", "vera", null);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("does not accept the token").doesNotContain("another-token");
    }

    private static RemoteApplication at(HttpServer server) {
        URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/outbox");
        return RemoteApplication.of("orders", url.toString(), EmbeddedCenter.TOKEN);
    }

    private static HttpServer stub(java.util.function.Consumer<com.sun.net.httpserver.HttpExchange> seen)
            throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            seen.accept(exchange);
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        return server;
    }
}
