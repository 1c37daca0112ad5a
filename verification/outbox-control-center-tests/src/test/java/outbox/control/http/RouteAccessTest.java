package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Accounts;
import outbox.control.access.FirstAdmin;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.act.EventAction;
import outbox.control.act.OperationRequest;
import outbox.control.act.Operations;
import outbox.control.alert.AlertMetric;
import outbox.control.alert.AlertRule;
import outbox.control.audit.AuditEntry;
import outbox.control.audit.AuditKey;
import outbox.control.source.Application;
import outbox.control.source.EventFilter;
import outbox.control.source.NodeReader;
import outbox.node.db.SchemaFile;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.SimulatedXxlJobAdmin;

/** Every route for every kind of operator, against a list that is written down here and not derived. */
@Timeout(120)
class RouteAccessTest {
    private static final Set<String> NOBODY =
            Set.of("nobody", "viewer", "reader", "operator", "cloner", "manager", "stranger", "root");
    private static final Set<String> LOGGED_IN =
            Set.of("viewer", "reader", "operator", "cloner", "manager", "stranger", "root");
    private static final Set<String> VIEW = Set.of("viewer", "reader", "operator", "cloner", "manager", "root");
    private static final Set<String> PAYLOAD = Set.of("reader", "root");
    private static final Set<String> ACT = Set.of("operator", "cloner", "manager", "root");
    private static final Set<String> CLONE = Set.of("cloner", "root");
    private static final Set<String> MANAGE = Set.of("manager", "root");
    private static final Set<String> ROOT = Set.of("root");

    /** Who may; everybody else may not. */
    private static final Map<String, Set<String>> EXPECTED = Map.ofEntries(
            Map.entry("GET /health", NOBODY),
            Map.entry("GET /session", NOBODY),
            Map.entry("GET /openapi.json", NOBODY),
            Map.entry("GET /apps", LOGGED_IN),
            Map.entry("GET /apps/{app}/overview", VIEW),
            Map.entry("GET /apps/{app}/history", VIEW),
            Map.entry("GET /apps/{app}/types", VIEW),
            Map.entry("GET /apps/{app}/relay", VIEW),
            Map.entry("GET /apps/{app}/export", VIEW),
            Map.entry("GET /apps/{app}/suggestions", VIEW),
            Map.entry("GET /apps/{app}/status", VIEW),
            Map.entry("GET /apps/{app}/operations/{id}/aftermath", VIEW),
            Map.entry("GET /apps/{app}/stream", VIEW),
            Map.entry("GET /apps/{app}/doctor", VIEW),
            Map.entry("GET /apps/{app}/events", VIEW),
            Map.entry("GET /apps/{app}/events/{id}", VIEW),
            Map.entry("GET /apps/{app}/events/{id}/neighbours", VIEW),
            Map.entry("GET /apps/{app}/events/{id}/attempts", VIEW),
            Map.entry("GET /apps/{app}/events/{id}/payload", PAYLOAD),
            Map.entry("POST /apps/{app}/events/{id}/retry", ACT),
            Map.entry("POST /apps/{app}/events/{id}/skip", ACT),
            Map.entry("POST /apps/{app}/events/{id}/park", ACT),
            Map.entry("DELETE /apps/{app}/events/{id}", ACT),
            Map.entry("POST /apps/{app}/events/{id}/clone", CLONE),
            Map.entry("GET /apps/{app}/events/{id}/handlers", VIEW),
            Map.entry("GET /apps/{app}/errors", VIEW),
            Map.entry("GET /apps/{app}/failures", VIEW),
            Map.entry("GET /apps/{app}/views", VIEW),
            Map.entry("POST /apps/{app}/views", VIEW),
            Map.entry("DELETE /apps/{app}/views/{id}", VIEW),
            Map.entry("GET /apps/{app}/operations", VIEW),
            Map.entry("GET /apps/{app}/operations/{id}", VIEW),
            Map.entry("GET /apps/{app}/operations/{id}/items", VIEW),
            Map.entry("POST /apps/{app}/operations", ACT),
            Map.entry("POST /apps/{app}/operations/dry-run", ACT),
            Map.entry("POST /apps/{app}/operations/{id}/pause", ACT),
            Map.entry("POST /apps/{app}/operations/{id}/resume", ACT),
            Map.entry("POST /apps/{app}/operations/{id}/cancel", ACT),
            Map.entry("GET /apps/{app}/nodes", VIEW),
            Map.entry("DELETE /apps/{app}/nodes/{id}", ACT),
            Map.entry("GET /apps/{app}/handlers", VIEW),
            Map.entry("POST /apps/{app}/handlers/{name}/pause", ACT),
            Map.entry("POST /apps/{app}/handlers/{name}/resume", ACT),
            Map.entry("POST /apps/{app}/handlers/{name}/enable", ACT),
            Map.entry("POST /apps/{app}/handlers/{name}/test", ACT),
            Map.entry("POST /apps/{app}/handlers/{name}/rotate", MANAGE),
            Map.entry("GET /apps/{app}/jobs", VIEW),
            Map.entry("POST /apps/{app}/jobs/{id}/start", ACT),
            Map.entry("POST /apps/{app}/jobs/{id}/stop", ACT),
            Map.entry("POST /apps/{app}/jobs/{id}/trigger", ACT),
            Map.entry("GET /apps/{app}/alerts", VIEW),
            Map.entry("POST /apps/{app}/alerts/mutes", ACT),
            Map.entry("DELETE /apps/{app}/alerts/mutes/{id}", ACT),
            Map.entry("GET /alerts/rules", ROOT),
            Map.entry("POST /alerts/rules", ROOT),
            Map.entry("PUT /alerts/rules/{id}", ROOT),
            Map.entry("DELETE /alerts/rules/{id}", ROOT),
            Map.entry("GET /alerts/channels", ROOT),
            Map.entry("POST /alerts/channels", ROOT),
            Map.entry("DELETE /alerts/channels/{id}", ROOT),
            Map.entry("POST /alerts/channels/{id}/test", ROOT),
            Map.entry("GET /alerts/deliveries", ROOT),
            Map.entry("GET /settings", ROOT),
            Map.entry("GET /audit/export", ROOT),
            Map.entry("GET /audit", ROOT),
            Map.entry("GET /audit/verify", ROOT),
            Map.entry("POST /setup", Set.of()), // open, but refused without its token
            Map.entry("GET /users", ROOT),
            Map.entry("POST /users", ROOT),
            Map.entry("PUT /users/{name}", ROOT),
            Map.entry("POST /users/{name}/password", ROOT),
            Map.entry("POST /password", LOGGED_IN),
            Map.entry("POST /users/{name}/disable", ROOT),
            Map.entry("POST /users/{name}/enable", ROOT),
            Map.entry("GET /tokens", ROOT),
            Map.entry("POST /tokens", ROOT),
            Map.entry("DELETE /tokens/{id}", ROOT));

    private static final Map<String, Operator> OPERATORS = Map.of(
            "viewer", new Operator("viewer", Map.of("orders", Role.VIEWER), false).withClones(), // not without the role
            "reader", new Operator("reader", Map.of("orders", Role.VIEWER), true),
            "operator", new Operator("operator", Map.of("orders", Role.OPERATOR), false),
            "cloner", new Operator("cloner", Map.of("orders", Role.OPERATOR), false).withClones(),
            "manager", new Operator("manager", Map.of("orders", Role.ADMIN), false),
            "stranger", new Operator("stranger", Map.of("billing", Role.ADMIN), true),
            "root", Operator.everywhere("root", Role.ADMIN, true).withClones());

    private static final String MARK = "only-in-orders";
    /** What shows figures alone. */
    private static final Set<String> WITHOUT_MARKS = Set.of(
            "/health",
            "/session",
            "/openapi.json",
            "/apps",
            "/apps/{app}/overview",
            "/apps/{app}/history",
            "/apps/{app}/types",
            "/apps/{app}/relay",
            "/apps/{app}/status",
            "/apps/{app}/doctor");

    @TempDir
    private static Path directory;

    private static OutboxTable orders;
    private static SimulatedXxlJobAdmin admin;
    private static String job;
    private static ControlCenter center;
    private static ControlCenterServlet servlet;
    private static WebFixture web;

    @BeforeAll
    static void start() throws Exception {
        orders = OutboxTable.on(EmbeddedH2.shared());
        admin = new SimulatedXxlJobAdmin(SimulatedXxlJobAdmin.Generation.FROM_3_3);
        job = admin.addJob("orders", "outboxRecover", MARK);
        SchemaFile.ofNodes("h2").apply(orders.dataSource());
        new NodeReader(orders.application()).setPaused("mail", false, null, "anna");
        OutboxTable billing = OutboxTable.on(EmbeddedH2.shared(), "billing");
        center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(JobRoutesTest.withJobs(orders.application(), admin))
                .application(JobRoutesTest.withJobs(billing.application(), admin))
                .build();
        Accounts accounts =
                new Accounts(orders.dataSource(), center.audit(), new ReversedPasswords(), InstantSource.system());
        servlet = new ControlCenterServlet(center, WebFixture.operators(OPERATORS), accounts, FirstAdmin.of(accounts));
        web = new WebFixture(servlet, directory);
        mark();
    }

    /** Something in every list of "orders". */
    private static void mark() throws Exception {
        orders.retrying(event(MARK, MARK).build(), MARK);
        center.views().add("orders", MARK, "stranger", true, "type=" + MARK);
        OperationRequest request =
                new OperationRequest(EventAction.PARK, EventFilter.ALL.withType("None"), List.of(), null);
        center.operations().start("orders", request, MARK, "stranger", 1);
        center.alerts().mute("orders", null, MARK, Duration.ofHours(1), "stranger");
        orders.execute("INSERT INTO outbox_node VALUES ('" + MARK + "', '1', TIMESTAMP '2026-01-01 00:00:00', TIMESTAMP"
                + " '2026-01-01 00:00:00', 0, 0, 0, 0, 0, 0, 0, 0)");
        orders.execute("INSERT INTO outbox_attempt VALUES ('" + MARK + "', '" + MARK + "', '" + MARK
                + "', 1, TIMESTAMP '2026-01-01 00:00:00', 0, '" + MARK + "', 2, '" + MARK + "', '" + MARK + "')");
        orders.execute("INSERT INTO outbox_node_handler VALUES ('" + MARK + "', '" + MARK
                + "', 'listener', '', 0, 0, 0, 0, 0, 0, 0, '')");
    }

    @AfterAll
    static void stop() throws Exception {
        web.close();
        admin.close();
    }

    @Test
    void everyRouteIsInTheListAndNoOther() {
        assertThat(servlet.routes().stream().map(RouteAccessTest::name))
                .containsExactlyInAnyOrderElementsOf(EXPECTED.keySet());
    }

    static Stream<String> routes() {
        return EXPECTED.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("routes")
    void onlyThoseWhoMayGetThrough(String route) throws Exception {
        Map<String, Integer> statuses = new TreeMap<>();
        for (String who : NOBODY) {
            int status = send(route, "orders", who);
            statuses.put(who, status);
            if (EXPECTED.get(route).contains(who)) {
                assertThat(status).as("%s as %s", route, who).isNotIn(401, 403);
                if (route.contains("{app}")) {
                    assertThat(status).as("%s as %s", route, who).isIn(200, 201);
                }
            } else if (route.equals("POST /setup")) {
                assertThat(status).isEqualTo(400);
            } else if (who.equals("nobody")) {
                assertThat(status).as("%s", route).isEqualTo(401);
            } else if (who.equals("stranger") && route.contains("{app}")) {
                assertThat(status)
                        .as("%s: an application of others does not exist", route)
                        .isEqualTo(404);
            } else {
                assertThat(status).as("%s as %s", route, who).isEqualTo(403);
            }
        }
    }

    @Test
    void anUnknownPathTellsNobodyAnything() throws Exception {
        assertThat(web.send("GET", "/api/v1/nothing", null, null).statusCode()).isEqualTo(401);
        assertThat(web.send("GET", "/api/v1/nothing", "viewer", null).statusCode())
                .isEqualTo(404);
        assertThat(web.send("PUT", "/api/v1/audit", "viewer", null).statusCode())
                .isEqualTo(405);
    }

    @Test
    void denialsActionsAndPayloadViewsAreInTheAuditLog() throws Exception {
        send("DELETE /apps/{app}/events/{id}", "orders", "viewer");
        send("GET /apps/{app}/events/{id}/payload", "orders", "reader");
        send("POST /apps/{app}/events/{id}/retry", "orders", "operator");
        assertThat(center.audit().page(null, "orders", 50))
                .filteredOn(entry -> !entry.action().equals("operation.end")) // of other tests, at any time
                .filteredOn(entry -> !entry.outcome().equals("started"))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::outcome)
                .startsWith(
                        org.assertj.core.groups.Tuple.tuple("operator", "event.retry", "ok"),
                        org.assertj.core.groups.Tuple.tuple("reader", "payload.view", "ok"),
                        org.assertj.core.groups.Tuple.tuple("viewer", "denied DELETE", "denied"));
        assertThat(center.audit().verify().problems()).isEmpty();
    }

    @Test
    void whatCanNotBeDoneIsRefusedWithTheStateTheEventIsIn() throws Exception {
        String id = orders.dead(event("Order", "PaymentWanted").build(), "it broke");
        assertThat(retry(id).statusCode()).isEqualTo(200);
        HttpResponse<String> again = retry(id);
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(again.body()).contains("it is new").doesNotContain("delivered", "done");
    }

    private static HttpResponse<String> retry(String id) throws Exception {
        return web.send(
                "POST", "/api/v1/apps/orders/events/" + id + "/retry", "operator", null, SameOrigin.HEADER, "1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"payload\":\"not json\"}",
                "{\"payload\":\"\"}",
                "{\"payload\":\"{} {}\"}",
                "{\"headers\":\"x\"}"
            })
    void aCloneWithEditsThatAreNoneIsRefusedWithASentence(String edits) throws Exception {
        String id = orders.dead(event("Order", "PaymentWanted").build(), "it broke");
        HttpResponse<String> clone = web.send(
                "POST", "/api/v1/apps/orders/events/" + id + "/clone", "cloner", edits, SameOrigin.HEADER, "1");
        assertThat(clone.statusCode()).isEqualTo(400);
        assertThat(clone.body()).containsAnyOf("the payload is not valid JSON", "must be an object");
    }

    @Test
    void rulesOfOtherApplicationsAreNeitherShownNorMuted() throws Exception {
        String id = center.alerts()
                .create(
                        new AlertRule("", "of billing", "billing", AlertMetric.DEAD_COUNT, 1, 0, 60, List.of(), true),
                        "root")
                .id();
        assertThat(web.send("GET", "/api/v1/apps/orders/alerts", "viewer", null).body())
                .doesNotContain("of billing");
        String body = "{\"rule\":\"" + id + "\",\"reason\":\"known\",\"minutes\":5}";
        HttpResponse<String> mute =
                web.send("POST", "/api/v1/apps/orders/alerts/mutes", "operator", body, SameOrigin.HEADER, "1");
        assertThat(mute.statusCode()).isEqualTo(400);
        assertThat(mute.body()).contains("there is no rule");
    }

    @Test
    void aViewerSharesNoViewAndThatHeTriedIsAudited() throws Exception {
        String body = "{\"name\":\"mine\",\"filter\":\"state=dead\",\"shared\":true}";
        assertThat(web.send("POST", "/api/v1/apps/orders/views", "viewer", body, SameOrigin.HEADER, "1")
                        .statusCode())
                .isEqualTo(403);
        assertThat(newest("viewer")).isEqualTo("view.share denied");
    }

    @Test
    void aTokenThatReadsPayloadsIsAuditedAsOne() throws Exception {
        String body = "{\"name\":\"reader\",\"days\":1,\"roles\":{\"orders\":\"viewer\"},\"payloads\":true}";
        assertThat(web.send("POST", "/api/v1/tokens", "root", body, SameOrigin.HEADER, "1")
                        .statusCode())
                .isEqualTo(201);
        assertThat(center.audit().page(null, null, 20))
                .filteredOn(entry -> entry.action().equals("token.create"))
                .first()
                .extracting(AuditEntry::detail)
                .asString()
                .contains(" payloads,");
    }

    private static String newest(String actor) throws Exception {
        return center.audit().page(null, null, 20).stream()
                .filter(entry -> entry.actor().equals(actor))
                .map(entry -> entry.action() + " " + entry.outcome())
                .findFirst()
                .orElse("nothing");
    }

    @Test
    void changesFromOtherSitesAreRefused() throws Exception {
        String id = orders.dead(event("A", "1").build(), "gone");
        String path = "/api/v1/apps/orders/events/" + id + "/retry";
        assertThat(web.send("POST", path, "root", "{}").statusCode()).isEqualTo(403);
        String[][] foreign = {
            {"Origin", "https://evil.example"},
            {"Origin", "null"},
            {"Sec-Fetch-Site", "cross-site"},
            {"Sec-Fetch-Site", "same-site"}
        };
        for (String[] header : foreign) {
            assertThat(web.send("POST", path, "root", "{}", SameOrigin.HEADER, "1", header[0], header[1])
                            .statusCode())
                    .as("%s: %s", header[0], header[1])
                    .isEqualTo(403);
        }
        assertThat(newest("root")).isEqualTo("denied POST denied");
        long entries = center.audit().page(null, null, 1).get(0).seq();
        assertThat(web.send("POST", "/api/v1/setup", null, "{}").statusCode()).isEqualTo(403);
        assertThat(center.audit().page(null, null, 20))
                .as("nobody fills the log from outside")
                .noneMatch(entry -> entry.seq() > entries && entry.actor().equals("(nobody)"));
        String own = "http://127.0.0.1:" + web.uri("").getPort();
        assertThat(web.send("POST", path, "root", "{}", SameOrigin.HEADER, "1", "Origin", own)
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void readOnlyHasNoRoutesThatChangeEvents() throws Exception {
        ControlCenter readOnly = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(Application.of("orders", orders.dataSource()))
                .readOnly(true)
                .build();
        try (readOnly) {
            assertThat(new ControlCenterServlet(readOnly, request -> null).routes())
                    .noneMatch(Route::isChange);
        }
    }

    @Test
    void secretsInPayloadsAndHeadersAreMasked() throws Exception {
        String id = orders.insert(event("A", "1")
                .payloadJson(
                        "{\"user\":{\"Password\":\"hunter2\",\"apiKey\":\"hunter2\",\"API_KEY\":[\"hunter2\"],\"n\":1.10}}")
                .header("Authorization", "Bearer abc")
                .build());
        String payload = web.send("GET", "/api/v1/apps/orders/events/" + id + "/payload", "root", null)
                .body();
        assertThat(payload).doesNotContain("hunter2").contains(Json.MASK);
        assertThat(web.send("GET", "/api/v1/apps/orders/events/" + id, "root", null)
                        .body())
                .doesNotContain("Bearer abc");
    }

    @Test
    void whatCanNotBeMaskedIsNotShown() throws Exception {
        String id = orders.insert(event("A", "1").build());
        String deep = "[".repeat(2000) + "{\"password\":\"hunter2\"}" + "]".repeat(2000);
        orders.execute("UPDATE outbox_event SET payload = '" + deep
                + "' FORMAT JSON, headers = '[\"Bearer hunter2\"]' FORMAT JSON WHERE event_id = '" + id + "'");
        HttpResponse<String> payload = web.send("GET", "/api/v1/apps/orders/events/" + id + "/payload", "root", null);
        assertThat(payload.statusCode()).isEqualTo(200);
        assertThat(payload.body())
                .doesNotContain("hunter2")
                .contains("\"json\":false")
                .contains("read it from the table");
        HttpResponse<String> headers = web.send("GET", "/api/v1/apps/orders/events/" + id, "viewer", null);
        assertThat(headers.statusCode()).isEqualTo(200);
        assertThat(headers.body()).doesNotContain("hunter2").contains("(unreadable)");
    }

    @Test
    void anEncryptedEventIsNotCloned() throws Exception {
        String id = orders.insert(
                event("A", "1").payloadJson("{\"$outbox.sealed\":\"v1.k.w.d\"}").build());
        HttpResponse<String> answer =
                web.send("POST", "/api/v1/apps/orders/events/" + id + "/clone", "cloner", "{}", SameOrigin.HEADER, "1");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).contains("is encrypted");
    }

    @Test
    void eachChangedFieldOfACloneIsAudited() throws Exception {
        String id = orders.insert(event("Order", "7")
                .tenantId("acme")
                .header("Authorization", "Bearer hunter2")
                .header("region", "eu")
                .payloadJson("{\"secret\":\"hunter2\"}")
                .build());
        String edits =
                "{\"type\":\"Paid\",\"aggregateId\":\"7\",\"tenant\":\"evil\",\"payload\":\"{}\",\"reason\":\"INC-42\","
                        + "\"headers\":{\"region\":\"us\",\"Authorization\":null}}";
        HttpResponse<String> clone = web.send(
                "POST", "/api/v1/apps/orders/events/" + id + "/clone", "cloner", edits, SameOrigin.HEADER, "1");
        assertThat(clone.statusCode()).as(clone.body()).isEqualTo(201);
        AuditEntry entry = center.audit().page(null, "orders", 20).stream()
                .filter(one -> one.action().equals("event.clone"))
                .findFirst()
                .orElseThrow();
        assertThat(entry.detail())
                .contains(", type Order -> Paid", ", tenant acme -> evil", ", header region eu -> us")
                .contains(", header Authorization " + Json.MASK)
                .containsPattern(", payload sha256:[0-9a-f]{16} -> sha256:[0-9a-f]{16}")
                .contains(" (INC-42), ")
                .doesNotContain("hunter2", "aggregateId");
    }

    @Test
    void manyChangedFieldsOfACloneTakeSeveralAuditEntries() throws Exception {
        String id = orders.insert(event("Order", "7").build());
        String headers = IntStream.range(0, 40)
                .mapToObj(i -> "\"h%02d\":\"%s\"".formatted(i, "x".repeat(150)))
                .collect(Collectors.joining(",", "{", "}"));
        HttpResponse<String> clone = web.send(
                "POST",
                "/api/v1/apps/orders/events/" + id + "/clone",
                "root",
                "{\"headers\":" + headers + "}",
                SameOrigin.HEADER,
                "1");
        assertThat(clone.statusCode()).as(clone.body()).isEqualTo(201);
        String details = center.audit().page(null, "orders", 20).stream()
                .filter(one -> one.action().equals("event.clone") && id.equals(one.target()))
                .map(AuditEntry::detail)
                .collect(Collectors.joining());
        for (int i = 0; i < 40; i++) {
            assertThat(details)
                    .contains("header h%02d (none) -> ".formatted(i) + "x".repeat(100) + "… (150 characters)");
        }
    }

    @Test
    void whoMayNotReadAPayloadDoesNotSendItToAnotherTenant() throws Exception {
        String id = orders.insert(event("Order", "7").tenantId("acme").build());
        String path = "/api/v1/apps/orders/events/" + id + "/clone";
        HttpResponse<String> elsewhere =
                web.send("POST", path, "cloner", "{\"tenant\":\"evil\"}", SameOrigin.HEADER, "1");
        assertThat(elsewhere.statusCode()).isEqualTo(403);
        assertThat(elsewhere.body()).contains("to change tenant");
        assertThat(web.send("POST", path, "cloner", "{\"tenant\":\"acme\"}", SameOrigin.HEADER, "1")
                        .statusCode())
                .isEqualTo(201);
        assertThat(web.send("POST", path, "root", "{\"tenant\":\"evil\"}", SameOrigin.HEADER, "1")
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void aPageThatWasAskedTooLargeStillSaysThatThereIsMore() throws Exception {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < Operations.MAX_PAGE + 5; i++) {
            ids.add(orders.dead(event("A", "1").build(), "gone"));
        }
        OperationRequest request = new OperationRequest(EventAction.PARK, EventFilter.ALL, ids, null);
        String id = center.operations()
                .start("orders", request, "a test", "root", 1)
                .id();
        String items = web.send("GET", "/api/v1/apps/orders/operations/" + id + "/items?size=1000", "root", null)
                .body();
        assertThat(items).contains("\"next\":\"" + ids.get(Operations.MAX_PAGE - 1) + "\"");
        assertThat(center.operations().cancel(id)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'{\"filter\":{\"status\":\"dead\",\"type\":\"A\"}}' | status",
                "'{\"filter\":\"status=dead&type=A\"}' | status",
                "'{\"filter\":[\"dead\"],\"errorGroup\":\"x\"}' | 'filter'",
                "'{\"ids\":\"one\",\"filter\":{\"type\":\"A\"}}' | 'ids'",
                "'{\"filter\":{\"type\":\"\",\"state\":\"dead\"}}' | is blank",
                "'{\"filter\":{\"type\":null,\"state\":\"dead\"}}' | is blank",
                "'{\"filter\":{\"tenant\":\"  \",\"type\":\"A\"}}' | is blank",
                "'{\"filter\":\"type=&state=dead\"}' | is blank",
                "'{\"filter\":\"type&state=dead\"}' | not name=value",
                "'{\"filter\":null,\"errorGroup\":\"x\"}' | is null",
                "'{\"errorGroup\":null,\"filter\":{\"state\":\"dead\"}}' | is null",
                "'{\"errorGroup\":\" \",\"filter\":{\"state\":\"dead\"}}' | is blank",
                "'{\"ids\":[],\"filter\":{\"state\":\"dead\"}}' | 'ids'",
                "'{\"ids\":null,\"filter\":{\"state\":\"dead\"}}' | is null",
                "'{\"ids\":[null]}' | contains",
                "'{\"filter\":\"\"}' | select the events"
            })
    void anOperationIsAboutNothingThatWasNotUnderstood(String body, String named) throws Exception {
        HttpResponse<String> answer = web.send(
                "POST",
                "/api/v1/apps/orders/operations/dry-run",
                "operator",
                body.replaceFirst("\\{", "{\"action\":\"delete\","),
                SameOrigin.HEADER,
                "1");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains(named);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/tokens | '{\"name\":\"ci\",\"days\":1000000000000000000,\"roles\":{\"*\":\"viewer\"}}' | 'days'",
                "/tokens | '{\"name\":\"ci\",\"days\":-1,\"roles\":{\"*\":\"viewer\"}}' | 'days'",
                "/apps/orders/alerts/mutes | '{\"minutes\":1000000000000000000,\"reason\":\"x\"}' | 'minutes'",
                "/alerts/rules | '{\"name\":\"x\",\"application\":\"*\",\"metric\":\"dead_count\",\"threshold\":1,"
                        + "\"forSeconds\":4294967296,\"reminderMinutes\":0}' | 'forSeconds'",
                "/apps/orders/operations | '{\"action\":\"retry\",\"reason\":\"x\",\"filter\":{\"type\":\"A\"},"
                        + "\"perSecond\":-4294967295}' | 'perSecond'"
            })
    void aNumberOutOfRangeIsRefusedWithItsName(String path, String body, String named) throws Exception {
        HttpResponse<String> answer = web.send("POST", "/api/v1" + path, "root", body, SameOrigin.HEADER, "1");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains("'" + named + "' must be between");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/handlers/bWFpbA/pause", "/events/{id}/retry", "/events/{id}/clone"})
    void aReasonThatIsTooLongIsRefusedWithItsLimit(String path) throws Exception {
        String id = orders.dead(event("A", "1").build(), "gone");
        String body = "{\"reason\":\"" + "x".repeat(5_000) + "\"}";
        HttpResponse<String> answer = web.send(
                "POST", "/api/v1/apps/orders" + path.replace("{id}", id), "root", body, SameOrigin.HEADER, "1");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains("at most 500 characters, not 5000");
    }

    @Test
    void marksThatTurnTextAroundAreVisible() throws Exception {
        String id = orders.insert(event("Order\u202Egnp.exe", "\u2066x")
                .payloadJson("{\"name\":\"\u202Egnp\"}")
                .header("a\u202Eb", "\u200Fc")
                .build());
        String path = "/api/v1/apps/orders/events/" + id;
        String detail = web.send("GET", path, "root", null).body();
        String payload = web.send("GET", path + "/payload", "root", null).body();
        assertThat(detail + payload).doesNotContain("\u202E", "\u2066", "\u200F");
        assertThat(detail).contains("Order\\\\u202Egnp.exe", "\\\\u2066x", "a\\\\u202Eb", "\\\\u200Fc");
        assertThat(payload).contains("{\\\"name\\\":\\\"\\\\u202Egnp\\\"}");
    }

    @Test
    void anExportedEntryKeepsItsMarksAndItsMac() throws Exception {
        String id = orders.dead(event("A", "1").build(), "gone");
        String reason = "{\"reason\":\"turned \u202E around\"}";
        web.send("POST", "/api/v1/apps/orders/events/" + id + "/park", "root", reason, SameOrigin.HEADER, "1");
        String export = web.send("GET", "/api/v1/audit/export", "root", null).body();
        assertThat(export).contains("turned \\u202E around").doesNotContain("\u202E");
        assertThat(web.send("GET", "/api/v1/audit?size=200", "root", null).body())
                .contains("turned \\\\u202E around");
    }

    @Test
    void probesAreToldWhetherTheDatabaseIsThere() throws Exception {
        HttpResponse<String> health = web.send("GET", "/api/v1/health", null, null);
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body()).isEqualTo("{\"status\":\"up\"}");
    }

    @Test
    void thePageIsServedWithAStrictPolicy() throws Exception {
        for (String file : new String[] {
            "/",
            "/app.js",
            "/style-base.css",
            "/icon.svg",
            "/vendor/preact.min.umd.js",
            "/vendor/hooks.umd.js",
            "/runbooks/dead-letters.md"
        }) {
            HttpResponse<String> page = web.send("GET", file, null, null);
            assertThat(page.statusCode()).as(file).isEqualTo(200);
            assertThat(page.headers().firstValue("Content-Security-Policy"))
                    .hasValueSatisfying(policy -> assertThat(policy)
                            .contains("default-src 'none'")
                            .contains("script-src 'self';")
                            .doesNotContain("unsafe"));
        }
        assertThat(web.send("GET", "/../control/schema/node.sql", null, null).statusCode())
                .isIn(400, 404);
        assertThat(web.send("GET", "/vendor/LICENSE", null, null).statusCode()).isEqualTo(404);
    }

    private static String name(Route route) {
        return route.method() + " " + route.path();
    }

    static Stream<String> routesOfOneThing() {
        return routes().filter(
                        route -> route.contains("{app}") && (route.contains("{id}") || route.contains("{name}")));
    }

    @ParameterizedTest
    @MethodSource("routesOfOneThing")
    void whatBelongsToOneApplicationDoesNotExistInAnother(String route) throws Exception {
        assertThat(send(route, "billing", "root")).as(route).isEqualTo(404);
    }

    static Stream<String> whatAStrangerReads() {
        return routes().filter(route -> route.startsWith("GET ")
                && !route.contains("{id}")
                && !route.endsWith("/stream")
                && (route.contains("{app}") || EXPECTED.get(route).contains("stranger")));
    }

    @ParameterizedTest
    @MethodSource("whatAStrangerReads")
    void noListShowsAnythingOfAnotherApplication(String route) throws Exception {
        String path = route.substring("GET ".length());
        String filter = "?size=200&type=" + MARK;
        String own = web.send("GET", "/api/v1" + path.replace("{app}", "orders") + filter, "root", null)
                .body();
        HttpResponse<String> other =
                web.send("GET", "/api/v1" + path.replace("{app}", "billing") + filter, "stranger", null);
        assertThat(other.statusCode()).isEqualTo(200);
        assertThat(other.body()).as(route).doesNotContain(MARK);
        if (!WITHOUT_MARKS.contains(path)) {
            assertThat(own).as("%s: a mark would be seen", route).contains(MARK);
        }
    }

    @Test
    void anOperationFindsNoEventOfAnotherApplication() throws Exception {
        String id = orders.dead(event("A", "1").build(), "gone");
        String body = "{\"action\":\"delete\",\"ids\":[\"" + id + "\"],\"reason\":\"a test\"}";
        String dryRun = web.send(
                        "POST", "/api/v1/apps/billing/operations/dry-run", "stranger", body, SameOrigin.HEADER, "1")
                .body();
        assertThat(dryRun).contains("\"count\":0");
        web.send("POST", "/api/v1/apps/billing/operations", "stranger", body, SameOrigin.HEADER, "1");
        assertThat(web.send("GET", "/api/v1/apps/orders/events/" + id, "root", null)
                        .statusCode())
                .isEqualTo(200);
    }

    /** Something of "orders" that the route can be about. */
    private static String thing(String route, String who) throws Exception {
        if (route.contains("/views/{id}")) {
            return center.views()
                    .add("orders", "mine", who, false, "state=dead")
                    .id();
        }
        if (route.contains("/operations/{id}")) {
            String id = operation();
            if (route.endsWith("/resume")) {
                assertThat(center.operations().pause(id)).isTrue();
            }
            return id;
        }
        if (route.contains("/mutes/{id}")) {
            return center.alerts()
                    .mute("orders", null, "a test", Duration.ofHours(1), who)
                    .id();
        }
        if (route.contains("/jobs/{id}")) {
            return job;
        }
        if (route.contains("/nodes/{id}")) {
            orders.execute("DELETE FROM outbox_node WHERE node = 'gone/1'");
            orders.execute("INSERT INTO outbox_node VALUES ('gone/1', '1', TIMESTAMP '2026-01-01 00:00:00', TIMESTAMP"
                    + " '2026-01-01 00:00:00', 0, 0, 0, 0, 0, 0, 0, 0)");
            return Base64.getUrlEncoder().encodeToString("gone/1".getBytes(StandardCharsets.UTF_8));
        }
        return route.contains("/events/{id}") ? orders.dead(event("A", "1").build(), "gone") : "none";
    }

    /** One that takes a while. */
    private static String operation() throws Exception {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ids.add(orders.dead(event("A", "1").build(), "gone"));
        }
        OperationRequest request = new OperationRequest(EventAction.PARK, EventFilter.ALL, ids, null);
        return center.operations().start("orders", request, "a test", "root", 1).id();
    }

    private static String body(String route) {
        if (route.startsWith("POST /apps/{app}/operations")) {
            return "{\"action\":\"retry\",\"filter\":{\"type\":\"None\"},\"reason\":\"a test\"}";
        }
        if (route.equals("POST /apps/{app}/alerts/mutes")) {
            return "{\"minutes\":5,\"reason\":\"a test\"}";
        }
        return route.equals("POST /apps/{app}/views") ? "{\"name\":\"mine\",\"filter\":\"state=dead\"}" : "{}";
    }

    private static int send(String route, String application, String who) throws Exception {
        String method = route.substring(0, route.indexOf(' '));
        String id = thing(route, who);
        String path = route.substring(route.indexOf(' ') + 1)
                .replace("{app}", application)
                .replace("{id}", id)
                .replace("{name}", "bWFpbA");
        HttpRequest.Builder request = HttpRequest.newBuilder(web.uri("/api/v1" + path))
                .method(method, HttpRequest.BodyPublishers.ofString(method.equals("GET") ? "" : body(route)))
                .header(SameOrigin.HEADER, "1");
        if (!who.equals("nobody")) {
            request.header(WebFixture.WHO, who);
        }
        HttpResponse<InputStream> response =
                web.client().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            if (path.endsWith("/stream") && response.statusCode() == 200) {
                assertThat(new String(body.readNBytes(13), StandardCharsets.UTF_8))
                        .isEqualTo("retry: 3000\n\n");
            }
        }
        return response.statusCode();
    }
}
