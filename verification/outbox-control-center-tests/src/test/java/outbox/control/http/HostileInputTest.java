package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.node.db.SchemaFile;
import outbox.testing.server.EmbeddedPostgres;

/** Whatever is sent, the answer is a sentence about it and never a failure of the server. */
@Timeout(300)
class HostileInputTest {
    private static final List<String> TEXTS = List.of(
            "\u0000",
            "a\u0000b",
            "\uD800",
            "'; DROP TABLE outbox_event; --",
            "%",
            "_",
            "!",
            "*",
            "**",
            "\u202Eevil",
            "🙈".repeat(200),
            "x".repeat(5_000),
            "${jndi:ldap://evil}",
            "-1",
            "99999999999999999999",
            "2147483647",
            "NaN",
            "P9999999999D",
            "-999999999-01-01T00:00:00Z",
            "+999999999-12-31T23:59:59Z");
    private static final List<String> QUERIES = List.of(
            "events?id=",
            "events?type=",
            "events?aggregateType=",
            "events?aggregateId=",
            "events?tenant=",
            "events?error=",
            "events?state=",
            "events?from=",
            "events?to=",
            "events?size=",
            "events?order=",
            "events?cursor=",
            "operations?before=",
            "operations?size=");

    @TempDir
    private static Path directory;

    private static OutboxTable orders;
    private static WebFixture web;

    @BeforeAll
    static void start() throws Exception {
        orders = OutboxTable.pooledOn(EmbeddedPostgres.shared());
        SchemaFile.ofNodes("postgresql").apply(orders.dataSource());
        orders.dead(event("A", "1").build(), "gone");
        ControlCenter center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(orders.application())
                .build();
        web = new WebFixture(
                new ControlCenterServlet(
                        center, WebFixture.operators(Map.of("root", Operator.everywhere("root", Role.ADMIN, true)))),
                directory);
    }

    @AfterAll
    static void stop() throws Exception {
        web.close();
        orders.close();
    }

    static Stream<String> texts() {
        return TEXTS.stream();
    }

    @ParameterizedTest
    @MethodSource("texts")
    void noTextInAQueryMakesTheServerFail(String text) throws Exception {
        for (String query : QUERIES) {
            assertAnswered(get("/api/v1/apps/orders/" + query + encoded(text)), query);
            assertAnswered(get("/api/v1/apps/orders/" + query + encoded(text) + "*"), query);
        }
        assertAnswered(get("/api/v1/audit?before=" + encoded(text)), "audit");
        assertAnswered(get("/api/v1/audit?application=" + encoded(text)), "audit");
    }

    @ParameterizedTest
    @MethodSource("texts")
    void noForgedCursorMakesTheServerFail(String text) throws Exception {
        for (String cursor : List.of(text, text + "~x", "~" + text, "2026-01-01T00:00:00Z~" + text)) {
            String forged =
                    Base64.getUrlEncoder().withoutPadding().encodeToString(cursor.getBytes(StandardCharsets.UTF_8));
            for (String state : List.of("", "&state=dead", "&state=new", "&state=done", "&state=retry,dead")) {
                assertAnswered(get("/api/v1/apps/orders/events?cursor=" + forged + state), cursor + state);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("texts")
    void noTextInABodyMakesTheServerFail(String text) throws Exception {
        String json = new String(Json.bytes(text), StandardCharsets.UTF_8);
        Map<String, String> bodies = Map.of(
                "apps/orders/operations",
                "{\"action\":\"retry\",\"reason\":" + json + ",\"filter\":{\"type\":" + json + "}}",
                "apps/orders/operations/dry-run",
                "{\"action\":\"retry\",\"errorGroup\":" + json + ",\"ids\":[" + json + "]}",
                "apps/orders/views",
                "{\"name\":" + json + ",\"filter\":" + json + "}",
                "apps/orders/alerts/mutes",
                "{\"minutes\":5,\"reason\":" + json + "}",
                "alerts/rules",
                "{\"name\":" + json + ",\"application\":\"orders\",\"metric\":\"dead\",\"threshold\":1}",
                "alerts/channels",
                "{\"name\":" + json + ",\"kind\":\"slack\",\"url\":" + json + "}");
        for (Map.Entry<String, String> body : bodies.entrySet()) {
            assertAnswered(post(body.getKey(), body.getValue()), body.getKey());
        }
    }

    @Test
    void whatIsNotAnObjectOfJsonIsRefused() throws Exception {
        for (String body : List.of(
                "{",
                "[]",
                "null",
                "7",
                "\"text\"",
                "{\"action\":}",
                "{\"a\":1,\"a\":2}",
                "[".repeat(20_000),
                "\u0000")) {
            assertThat(post("apps/orders/operations", body).statusCode())
                    .as(body)
                    .isEqualTo(400);
        }
        assertThat(post("apps/orders/operations", "{\"reason\":\"" + "x".repeat(3_000_000) + "\"}")
                        .statusCode())
                .isIn(400, 413);
    }

    @Test
    void noPathLeadsOutOfThePage() throws Exception {
        for (String path : List.of(
                "/../schema/node.sql",
                "/..%2fschema/node.sql",
                "/%2e%2e/schema/node.sql",
                "/vendor/../../schema/node.sql",
                "/vendor/..;/..;/schema/node.sql",
                "/.git/config",
                "/WEB-INF/web.xml",
                "/index.html%00.js",
                "//etc/passwd",
                "/app.js/",
                "/APP.JS")) {
            assertThat(get(path).statusCode()).as(path).isIn(400, 404);
        }
    }

    @Test
    void aPageIsNeverLargerThanItsLimit() throws Exception {
        for (String size : List.of("100000", "2147483647", "0", "-5")) {
            assertThat(get("/api/v1/apps/orders/events?size=" + size).statusCode())
                    .as(size)
                    .isEqualTo(200);
        }
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return web.send("GET", path, "root", null);
    }

    private static HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return web.send("POST", "/api/v1/" + path, "root", body, SameOrigin.HEADER, "1");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static void assertAnswered(HttpResponse<String> response, String what) {
        assertThat(response.statusCode()).as("%s: %s", what, response.body()).isLessThan(500);
    }
}
