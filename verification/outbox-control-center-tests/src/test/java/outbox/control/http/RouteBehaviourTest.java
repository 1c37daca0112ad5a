package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.control.ControlCenter;
import outbox.control.act.EventAction;
import outbox.control.act.OperationRequest;
import outbox.control.act.Operations;
import outbox.control.alert.AlertMetric;
import outbox.control.alert.AlertRule;
import outbox.control.audit.AuditEntry;
import outbox.control.audit.AuditKey;
import outbox.control.source.Application;
import outbox.control.source.EventFilter;

/** What routes answer, refuse, mask and record. */
@Timeout(120)
class RouteBehaviourTest extends TwoApplications {
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
}
