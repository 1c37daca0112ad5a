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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Accounts;
import outbox.control.access.FirstAdmin;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.act.EventAction;
import outbox.control.act.OperationRequest;
import outbox.control.audit.AuditKey;
import outbox.control.source.EventFilter;
import outbox.control.source.NodeReader;
import outbox.node.db.SchemaFile;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.SimulatedXxlJobAdmin;

/** Two applications behind every route, for operators of every kind; what is in one of them is marked. */
abstract class TwoApplications {
    static final Map<String, Operator> OPERATORS = Map.of(
            "viewer", new Operator("viewer", Map.of("orders", Role.VIEWER), false).withClones(), // not without the role
            "reader", new Operator("reader", Map.of("orders", Role.VIEWER), true),
            "operator", new Operator("operator", Map.of("orders", Role.OPERATOR), false),
            "cloner", new Operator("cloner", Map.of("orders", Role.OPERATOR), false).withClones(),
            "manager", new Operator("manager", Map.of("orders", Role.ADMIN), false),
            "stranger", new Operator("stranger", Map.of("billing", Role.ADMIN), true),
            "root", Operator.everywhere("root", Role.ADMIN, true).withClones());

    static final String MARK = "only-in-orders";

    @TempDir
    static Path directory;

    static OutboxTable orders;
    static SimulatedXxlJobAdmin admin;
    static String job;
    static ControlCenter center;
    static ControlCenterServlet servlet;
    static WebFixture web;

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
    static void mark() throws Exception {
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

    /** Something of "orders" that the route can be about. */
    static String thing(String route, String who) throws Exception {
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
    static String operation() throws Exception {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ids.add(orders.dead(event("A", "1").build(), "gone"));
        }
        OperationRequest request = new OperationRequest(EventAction.PARK, EventFilter.ALL, ids, null);
        return center.operations().start("orders", request, "a test", "root", 1).id();
    }

    static String body(String route) {
        if (route.startsWith("POST /apps/{app}/operations")) {
            return "{\"action\":\"retry\",\"filter\":{\"type\":\"None\"},\"reason\":\"a test\"}";
        }
        if (route.equals("POST /apps/{app}/alerts/mutes")) {
            return "{\"minutes\":5,\"reason\":\"a test\"}";
        }
        return route.equals("POST /apps/{app}/views") ? "{\"name\":\"mine\",\"filter\":\"state=dead\"}" : "{}";
    }

    static int send(String route, String application, String who) throws Exception {
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
