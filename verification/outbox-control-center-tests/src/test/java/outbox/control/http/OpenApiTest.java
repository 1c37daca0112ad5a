package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Accounts;
import outbox.control.access.FirstAdmin;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditEntry;
import outbox.control.audit.AuditKey;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.node.db.SchemaFile;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.SimulatedXxlJobAdmin;
import tools.jackson.databind.JsonNode;

/** The API is driven by a client that knows its document alone; every request and answer is checked against it. */
@Timeout(120)
class OpenApiTest {
    private static final String APP = "app";
    private static final String ORDERS = "orders";
    private static final String MAIL = encoded("mail");

    @TempDir
    private Path directory;

    private OutboxTable orders;
    private SimulatedXxlJobAdmin admin;
    private String recover;
    private ControlCenter center;
    private FirstAdmin firstAdmin;
    private WebFixture web;
    private DocumentedApi api;

    @BeforeEach
    void start() throws Exception {
        orders = OutboxTable.on(EmbeddedH2.shared());
        admin = new SimulatedXxlJobAdmin(SimulatedXxlJobAdmin.Generation.UP_TO_3_2);
        recover = admin.addJob(ORDERS, "outboxRecover", "Outbox: recover");
        SchemaFile.ofNodes("h2").apply(orders.dataSource());
        try (Connection conn = orders.dataSource().getConnection()) {
            IdempotencySchema.of("h2").apply(conn);
        }
        center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(JobRoutesTest.withJobs(orders.application(), admin))
                .announcements(List.of("https://*.internal"))
                .build();
        Served served = served(center, orders, directory);
        Accounts accounts = new Accounts(
                served.database(), served.center().audit(), new ReversedPasswords(), InstantSource.system());
        firstAdmin = FirstAdmin.of(accounts);
        Operator root = Operator.everywhere("root", Role.ADMIN, true).withClones();
        web = new WebFixture(
                new ControlCenterServlet(
                        served.center(), WebFixture.operators(Map.of("root", root)), accounts, firstAdmin),
                directory);
        node("gone/1");
        node("node-1/a");
        orders.execute(
                "INSERT INTO outbox_node_handler VALUES ('node-1/a', 'mail', 'webhook', 'x', 0, 0, 1, 2, 3, 4, 5, 'test')");
        api = new DocumentedApi(web, "root");
    }

    /** The control center the client talks to, and its own database. */
    record Served(ControlCenter center, DataSource database) {}

    /** @param own the control center with the application's database */
    Served served(ControlCenter own, OutboxTable orders, Path directory) throws Exception {
        return new Served(own, orders.dataSource());
    }

    private void node(String name) throws Exception {
        orders.execute("INSERT INTO outbox_node VALUES ('" + name + "', '1', TIMESTAMP '2026-01-01 00:00:00', TIMESTAMP"
                + " '2026-01-01 00:00:00', 0, 0, 0, 0, 0, 0, 0, 0)");
    }

    private static String encoded(String name) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(name.getBytes(StandardCharsets.UTF_8));
    }

    @AfterEach
    void stop() throws Exception {
        web.close();
        admin.close();
    }

    @Test
    void everyRouteAnswersAsTheDocumentSays() throws Exception {
        accounts();
        announcement();
        events();
        operations();
        nodesAndHandlers();
        alerts();
        readings();
        assertThat(api.called()).containsExactlyInAnyOrderElementsOf(api.operations());
    }

    private void announcement() throws Exception {
        String body =
                "{\"apiUrl\":\"https://shop.internal/outbox\",\"token\":\"0123456789\",\"application\":\"outbox\"}";
        assertThat(api.callWith(body, "putAppsByAppAnnouncement", APP, "shop")
                        .get("apiUrl")
                        .asString())
                .isEqualTo("https://shop.internal/outbox");
        assertThat(api.call("getApps").get("applications")).hasSize(2);
        api.call("deleteAppsByAppAnnouncement", APP, "shop");
    }

    private void accounts() throws Exception {
        String token = Objects.requireNonNull(firstAdmin.token());
        api.callWith("{\"token\":\"" + token + "\",\"name\":\"root\",\"password\":\"a long password\"}", "postSetup");
        api.call("getSession");
        api.callWith("{\"current\":\"a long password\",\"password\":\"a longer password\"}", "postPassword");
        api.callWith(
                "{\"name\":\"ben\",\"password\":\"another password\",\"roles\":{\"orders\":\"operator\"},\"clones\":true}",
                "postUsers");
        api.callWith("{\"roles\":{\"*\":\"viewer\"},\"payloads\":true}", "putUsersByName", "name", "ben");
        api.callWith("{\"password\":\"yet another password\"}", "postUsersByNamePassword", "name", "ben");
        api.call("postUsersByNameDisable", "name", "ben");
        assertThat(api.call("postUsersByNameEnable", "name", "ben")
                        .get("disabled")
                        .asBoolean())
                .isFalse();
        assertThat(api.call("getUsers").get("users")).hasSize(2);
        JsonNode made = api.callWith("{\"name\":\"ci\",\"days\":7,\"roles\":{\"*\":\"viewer\"}}", "postTokens");
        assertThat(api.call("getTokens").get("tokens")).hasSize(1);
        api.call("deleteTokensById", "id", made.get("token").get("id").asString());
    }

    private void events() throws Exception {
        String id = dead();
        orders.execute(
                "INSERT INTO outbox_attempt VALUES ('A', '" + id + "', 'Order', 1, TIMESTAMP '2026-01-01 00:00:00',"
                        + " 12, 'node-1/a', 3, 'java.lang.IllegalStateException', 'java.lang.IllegalStateException: gone')");
        assertThat(api.call("getAppsByAppEvents", APP, ORDERS, "state", "dead").get("events"))
                .hasSize(1);
        api.call("getAppsByAppEventsById", APP, ORDERS, "id", id);
        api.call("getAppsByAppEventsByIdNeighbours", APP, ORDERS, "id", id);
        assertThat(api.call("getAppsByAppEventsByIdAttempts", APP, ORDERS, "id", id)
                        .get("attempts"))
                .hasSize(1);
        api.call("getAppsByAppEventsByIdHandlers", APP, ORDERS, "id", id);
        api.call("getAppsByAppEventsByIdPayload", APP, ORDERS, "id", id);
        api.callWith(
                "{\"type\":\"Paid\",\"headers\":{\"a\":\"b\",\"c\":null},\"payload\":\"{}\",\"reason\":\"INC-42\"}",
                "postAppsByAppEventsByIdClone",
                APP,
                ORDERS,
                "id",
                id);
        api.call("getAppsByAppErrors", APP, ORDERS);
        assertThat(api.call("getAppsByAppFailures", APP, ORDERS, "action", "outbox-failed-permanent", "from", "P1D")
                        .get("failures"))
                .isEmpty();
        assertThat(api.call("getAppsByAppFailures", APP, ORDERS).get("failures"))
                .hasSize(1);
        api.call("getAppsByAppSuggestions", APP, ORDERS);
        api.call("getAppsByAppExport", APP, ORDERS, "format", "csv", "state", "dead");
        api.call("getAppsByAppExport", APP, ORDERS);
        for (String action : List.of("Retry", "Skip", "Park")) {
            api.callWith("{\"reason\":\"INC-42\"}", "postAppsByAppEventsById" + action, APP, ORDERS, "id", dead());
        }
        api.callWith("{}", "deleteAppsByAppEventsById", APP, ORDERS, "id", dead());
        JsonNode view =
                api.callWith("{\"name\":\"mine\",\"filter\":\"state=dead\"}", "postAppsByAppViews", APP, ORDERS);
        assertThat(api.call("getAppsByAppViews", APP, ORDERS).get("views")).hasSize(1);
        api.call("deleteAppsByAppViewsById", APP, ORDERS, "id", view.get("id").asString());
    }

    private String dead() throws Exception {
        return orders.dead(event("Order", "7").tenantId("acme").build(), "java.lang.IllegalStateException: gone");
    }

    private void operations() throws Exception {
        List<String> ids = new ArrayList<>(); // so many that the operations have not ended when they are stopped
        for (int i = 0; i < 20; i++) {
            ids.add(dead());
        }
        String what = "{\"action\":\"park\",\"filter\":{\"state\":\"dead\",\"type\":\"Order\"}";
        JsonNode preview = api.callWith(what + "}", "postAppsByAppOperationsDryRun", APP, ORDERS);
        assertThat(preview.get("count").asInt()).isPositive();
        String all = what + ",\"reason\":\"INC-42\",\"perSecond\":1}";
        String one = api.callWith(all, "postAppsByAppOperations", APP, ORDERS)
                .get("id")
                .asString();
        api.call("getAppsByAppOperations", APP, ORDERS);
        api.call("getAppsByAppOperationsById", APP, ORDERS, "id", one);
        api.call("getAppsByAppOperationsByIdItems", APP, ORDERS, "id", one);
        api.call("getAppsByAppOperationsByIdAftermath", APP, ORDERS, "id", one);
        api.call("postAppsByAppOperationsByIdCancel", APP, ORDERS, "id", one);
        redelivery();
        String picked = "{\"action\":\"park\",\"ids\":[\"" + String.join("\",\"", ids)
                + "\"],\"reason\":\"INC-42\",\"perSecond\":1}";
        String other = api.callWith(picked, "postAppsByAppOperations", APP, ORDERS)
                .get("id")
                .asString();
        api.call("postAppsByAppOperationsByIdPause", APP, ORDERS, "id", other);
        api.call("postAppsByAppOperationsByIdResume", APP, ORDERS, "id", other);
    }

    private void redelivery() throws Exception {
        orders.done(event("Sent", "7").build());
        String what = "{\"action\":\"redeliver\",\"handler\":\"mail\",\"filter\":{\"type\":\"Sent\"}";
        JsonNode preview = api.callWith(what + "}", "postAppsByAppOperationsDryRun", APP, ORDERS);
        assertThat(preview.get("count").asInt()).isEqualTo(1);
        String reason = ",\"reason\":\"INC-42\"}";
        assertThat(api.callWith(what + reason, "postAppsByAppOperations", APP, ORDERS)
                        .get("handler")
                        .asString())
                .isEqualTo("mail");
        assertThat(center.audit().page(null, ORDERS, 1))
                .extracting(AuditEntry::detail)
                .containsExactly("redeliver to mail state=done&type=Sent: INC-42");
        JsonNode refused =
                api.refused(400, "postAppsByAppOperations", what.replace("mail", "nobody") + reason, APP, ORDERS);
        assertThat(refused.get("error").asString()).contains("no node reports a handler 'nobody'");
    }

    private void nodesAndHandlers() throws Exception {
        assertThat(api.call("getAppsByAppNodes", APP, ORDERS).get("nodes")).hasSize(2);
        api.call("deleteAppsByAppNodesById", APP, ORDERS, "id", encoded("gone/1"));
        for (String action : List.of("Pause", "Resume")) {
            api.callWith("{\"reason\":\"INC-42\"}", "postAppsByAppHandlersByName" + action, APP, ORDERS, "name", MAIL);
        }
        for (String action : List.of("Enable", "Test", "Rotate")) {
            api.call("postAppsByAppHandlersByName" + action, APP, ORDERS, "name", MAIL);
        }
        assertThat(api.call("getAppsByAppJobs", APP, ORDERS).get("jobs")).hasSize(1);
        for (String action : List.of("Start", "Stop", "Trigger")) {
            api.callWith("{\"reason\":\"INC-42\"}", "postAppsByAppJobsById" + action, APP, ORDERS, "id", recover);
        }
        JsonNode handlers = api.call("getAppsByAppHandlers", APP, ORDERS);
        assertThat(handlers.get("handlers")).hasSize(1);
        assertThat(handlers.get("switches")).hasSize(1);
        assertThat(handlers.get("commands")).hasSize(3);
    }

    private void alerts() throws Exception {
        String rule = "{\"name\":\"dead\",\"application\":\"orders\",\"metric\":\"dead_count\",\"threshold\":1.5,"
                + "\"forSeconds\":0,\"reminderMinutes\":60,\"enabled\":true}";
        String id = api.callWith(rule, "postAlertsRules").get("id").asString();
        api.callWith(rule, "putAlertsRulesById", "id", id);
        api.call("getAlertsRules");
        String channel = api.callWith(
                        "{\"name\":\"chat\",\"kind\":\"slack\",\"url\":\"https://chat.invalid/x\"}",
                        "postAlertsChannels")
                .get("id")
                .asString();
        api.call("getAlertsChannels");
        api.call("postAlertsChannelsByIdTest", "id", channel);
        api.call("getAlertsDeliveries");
        api.call("deleteAlertsChannelsById", "id", channel);
        String mute = api.callWith("{\"minutes\":5,\"reason\":\"INC-42\"}", "postAppsByAppAlertsMutes", APP, ORDERS)
                .get("id")
                .asString();
        JsonNode alerts = api.call("getAppsByAppAlerts", APP, ORDERS);
        assertThat(alerts.get("mutes")).hasSize(1);
        assertThat(alerts.get("rules")).hasSize(1);
        api.call("deleteAppsByAppAlertsMutesById", APP, ORDERS, "id", mute);
        api.call("deleteAlertsRulesById", "id", id);
    }

    private void readings() throws Exception {
        for (String page : List.of("Overview", "Stream", "History", "Types", "Relay", "Status", "Doctor")) {
            api.call("getAppsByApp" + page, APP, ORDERS);
        }
        for (String page : List.of("Apps", "Health", "OpenapiJson", "Settings", "AuditVerify", "AuditExport")) {
            api.call("get" + page);
        }
        assertThat(api.call("getAudit", "size", "2").get("entries")).hasSize(2);
    }

    @Test
    void everyListedValueOfAParameterIsAccepted() throws Exception {
        int values = 0;
        for (String operation : api.operations()) {
            for (Map.Entry<String, List<String>> listed :
                    api.listedValues(operation).entrySet()) {
                for (String value : listed.getValue()) {
                    api.call(operation, APP, ORDERS, listed.getKey(), value);
                    values++;
                }
            }
        }
        assertThat(values).isPositive();
    }

    @Test
    void errorsAreAsTheDocumentSays() throws Exception {
        assertThat(api.refused(404, "getAppsByAppEventsById", null, APP, ORDERS, "id", "none")
                        .get("error")
                        .asString())
                .contains("there is no event none");
        api.refused(400, "postAppsByAppOperations", "{\"action\":\"explode\"}", APP, ORDERS);
        api.refused(400, "getAppsByAppHistory", null, APP, ORDERS, "range", "a year");
        api.refused(404, "getAppsByAppEvents", null, APP, "nowhere");
    }

    @Test
    void itsSchemasAreValid() {
        assertThat(api.schemas())
                .isNotEmpty()
                .allSatisfy(schema -> assertThat(DocumentedApi.problemsOf(schema))
                        .as(schema.toString())
                        .isEmpty());
    }
}
