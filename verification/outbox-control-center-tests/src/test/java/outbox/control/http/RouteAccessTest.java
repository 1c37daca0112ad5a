package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every route for every kind of operator, against a list that is written down here and not derived. */
@Timeout(120)
class RouteAccessTest extends TwoApplications {
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
}
