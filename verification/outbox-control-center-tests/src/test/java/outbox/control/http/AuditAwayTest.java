package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Accounts;
import outbox.control.access.Actor;
import outbox.control.access.FirstAdmin;
import outbox.control.access.Operator;
import outbox.control.access.Rights;
import outbox.control.access.Role;
import outbox.control.act.EventAction;
import outbox.control.act.OperationRequest;
import outbox.control.alert.AlertMetric;
import outbox.control.alert.AlertRule;
import outbox.control.audit.AuditEntry;
import outbox.control.audit.AuditKey;
import outbox.control.source.EventFilter;
import outbox.control.source.NodeReader;
import outbox.node.db.SchemaFile;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.SimulatedXxlJobAdmin;

/** What cannot be recorded is not done: every route that changes something, with the audit log away. */
@Timeout(120)
class AuditAwayTest {
    @TempDir
    private Path directory;

    private OutboxTable orders;
    private SimulatedXxlJobAdmin admin;
    private String job;
    private ControlCenter center;
    private Accounts accounts;
    private ControlCenterServlet servlet;
    private WebFixture web;

    @BeforeEach
    void start() throws Exception {
        orders = OutboxTable.on(EmbeddedH2.shared());
        SchemaFile.ofNodes("h2").apply(orders.dataSource());
        new NodeReader(orders.application()).setPaused("mail", false, null, "anna");
        admin = new SimulatedXxlJobAdmin(SimulatedXxlJobAdmin.Generation.FROM_3_3);
        job = admin.addJob("orders", "outboxRecover", "Outbox: recover");
        center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(JobRoutesTest.withJobs(orders.application(), admin))
                .build();
        accounts = new Accounts(orders.dataSource(), center.audit(), new ReversedPasswords(), InstantSource.system());
        servlet = new ControlCenterServlet(
                center,
                WebFixture.operators(Map.of(
                        "root", Operator.everywhere("root", Role.ADMIN, true).withClones())),
                accounts,
                FirstAdmin.of(accounts));
        web = new WebFixture(servlet, directory);
    }

    @AfterEach
    void stop() throws Exception {
        web.close();
        admin.close();
    }

    /** Route and body, with something to change for each. */
    private Map<String, String> changes() throws Exception {
        Rights viewer = Rights.of(Map.of("*", Role.VIEWER));
        accounts.create("ben", "a long password", viewer, Actor.PROGRAM);
        String token = accounts.createToken("ci", viewer, Duration.ofDays(1), Actor.PROGRAM)
                .token()
                .id();
        String rule = center.alerts()
                .create(new AlertRule("", "dead", "orders", AlertMetric.DEAD_COUNT, 1, 0, 60, List.of(), false), "root")
                .id();
        String mute = center.alerts()
                .mute("orders", null, "a test", Duration.ofHours(1), "root")
                .id();
        String view = center.views()
                .add("orders", "mine", "root", false, "state=dead")
                .id();
        String channel = center.alerts()
                .channels()
                .create("chat", "slack", Map.of("url", "https://chat.example.com/x"), "root", java.time.Instant.now())
                .id();
        orders.execute("INSERT INTO outbox_node VALUES ('gone/1', '1', TIMESTAMP '2026-01-01 00:00:00', TIMESTAMP"
                + " '2026-01-01 00:00:00', 0, 0, 0, 0, 0, 0, 0, 0)");
        String node = Base64.getUrlEncoder().encodeToString("gone/1".getBytes(StandardCharsets.UTF_8));
        String running = operation();
        String paused = operation();
        assertThat(center.operations().pause(running)).isTrue();
        assertThat(center.operations().pause(paused)).isTrue();
        Map<String, String> changes = new LinkedHashMap<>();
        changes.put("POST /apps/orders/events/" + dead() + "/retry", "{}");
        changes.put("POST /apps/orders/events/" + dead() + "/skip", "{}");
        changes.put("POST /apps/orders/events/" + dead() + "/park", "{}");
        changes.put("DELETE /apps/orders/events/" + dead(), "{}");
        changes.put("POST /apps/orders/events/" + dead() + "/clone", "{}");
        changes.put("POST /apps/orders/views", "{\"name\":\"new\",\"filter\":\"state=dead\"}");
        changes.put("DELETE /apps/orders/views/" + view, "{}");
        changes.put(
                "POST /apps/orders/operations",
                "{\"action\":\"delete\",\"filter\":{\"state\":\"dead\"},\"reason\":\"a test\"}");
        changes.put("POST /apps/orders/operations/" + running + "/pause", "{}");
        changes.put("POST /apps/orders/operations/" + paused + "/resume", "{}");
        changes.put("POST /apps/orders/operations/" + paused + "/cancel", "{}");
        changes.put("DELETE /apps/orders/nodes/" + node, "{}");
        for (String action : List.of("pause", "resume", "enable", "test", "rotate")) {
            changes.put("POST /apps/orders/handlers/bWFpbA/" + action, "{}");
        }
        for (String action : List.of("start", "stop", "trigger")) {
            changes.put("POST /apps/orders/jobs/" + job + "/" + action, "{}");
        }
        changes.put("POST /apps/orders/alerts/mutes", "{\"minutes\":5,\"reason\":\"a test\"}");
        changes.put("DELETE /apps/orders/alerts/mutes/" + mute, "{}");
        String aRule = "{\"name\":\"new\",\"application\":\"orders\",\"metric\":\"dead-count\",\"threshold\":1,"
                + "\"forSeconds\":0,\"reminderMinutes\":60,\"enabled\":false}";
        changes.put("POST /alerts/rules", aRule);
        changes.put("PUT /alerts/rules/" + rule, aRule);
        changes.put("DELETE /alerts/rules/" + rule, "{}");
        changes.put(
                "POST /alerts/channels",
                "{\"name\":\"new\",\"kind\":\"slack\",\"url\":\"https://chat.example.com/y\"}");
        changes.put("DELETE /alerts/channels/" + channel, "{}");
        changes.put("POST /alerts/channels/" + channel + "/test", "{}");
        String aUser = "{\"name\":\"carl\",\"password\":\"another password\",\"roles\":{\"*\":\"viewer\"}}";
        changes.put("POST /users", aUser);
        changes.put("PUT /users/ben", "{\"roles\":{\"*\":\"admin\"}}");
        changes.put("POST /users/ben/password", "{\"password\":\"another password\"}");
        changes.put("POST /users/ben/disable", "{}");
        changes.put("POST /users/ben/enable", "{}");
        changes.put("POST /tokens", "{\"name\":\"new\",\"days\":1,\"roles\":{\"*\":\"viewer\"}}");
        changes.put("DELETE /tokens/" + token, "{}");
        return changes;
    }

    private String dead() throws SQLException {
        return orders.dead(event("A", "1").build(), "gone");
    }

    private String operation() throws Exception {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ids.add(dead());
        }
        OperationRequest request = new OperationRequest(EventAction.PARK, EventFilter.ALL, ids, null);
        return center.operations().start("orders", request, "a test", "root", 1).id();
    }

    private HttpResponse<String> send(String route, String body) throws Exception {
        int space = route.indexOf(' ');
        return web.send(
                route.substring(0, space),
                "/api/v1" + route.substring(space + 1),
                "root",
                body,
                SameOrigin.HEADER,
                "1");
    }

    /** Everything that is in the database, but for what loops of our own write at any time; and what the job admin did. */
    private List<String> everything() throws SQLException {
        List<String> rows = new ArrayList<>(admin.calls().stream()
                .filter(call -> call.matches(".*/(start|stop|trigger)"))
                .toList());
        try (Connection conn = orders.dataSource().getConnection();
                Statement statement = conn.createStatement();
                ResultSet script = statement.executeQuery("SCRIPT NOPASSWORDS NOSETTINGS")) {
            while (script.next()) {
                rows.add(script.getString(1));
            }
        }
        return rows.stream()
                .filter(row -> !row.contains("OUTBOX_CC_LEASE") && !row.contains("OUTBOX_CC_ALERT"))
                .toList();
    }

    @Test
    void nothingIsDoneThatCannotBeRecorded() throws Exception {
        Map<String, String> changes = changes();
        assertThat(changes).as("every route that is recorded first").hasSize((int)
                servlet.routes().stream().filter(Route::isRecordedFirst).count());
        orders.execute("ALTER TABLE outbox_cc_audit RENAME TO audit_away");
        try {
            for (Map.Entry<String, String> change : changes.entrySet()) {
                List<String> before = everything();
                HttpResponse<String> answer = send(change.getKey(), change.getValue());
                assertThat(answer.statusCode()).as(change.getKey()).isEqualTo(503);
                assertThat(answer.body())
                        .as(change.getKey())
                        .contains("not executed")
                        .contains("audit log");
                assertThat(everything()).as(change.getKey()).isEqualTo(before);
            }
        } finally {
            orders.execute("ALTER TABLE audit_away RENAME TO outbox_cc_audit");
        }
    }

    @Test
    void theRequestIsInTheLogBeforeItsOutcome() throws Exception {
        String id = dead();
        assertThat(send("POST /apps/orders/events/" + id + "/retry", "{\"reason\":\"repaired\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(send("DELETE /tokens/none", "{}").statusCode()).isEqualTo(404);

        assertThat(center.audit().page(null, null, 4))
                .extracting(AuditEntry::action, AuditEntry::target, AuditEntry::outcome)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("request DELETE", "/tokens/none", "refused"),
                        org.assertj.core.groups.Tuple.tuple("request DELETE", "/tokens/none", "started"),
                        org.assertj.core.groups.Tuple.tuple("event.retry", id, "ok"),
                        org.assertj.core.groups.Tuple.tuple(
                                "request POST", "/apps/orders/events/" + id + "/retry", "started"));
        assertThat(center.audit().verify().problems()).isEmpty();
    }
}
