package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
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
import outbox.control.source.Application;
import outbox.control.source.XxlJobs;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.SimulatedXxlJobAdmin;
import outbox.testing.server.SimulatedXxlJobAdmin.Generation;
import outbox.xxljob.admin.XxlJobAdmin;

/** The jobs of an application at a simulated XXL-Job admin. */
@Timeout(120)
class JobRoutesTest {
    private static final Map<String, Operator> OPERATORS = Map.of(
            "viewer",
            new Operator("viewer", Map.of("orders", Role.VIEWER), false),
            "operator",
            Operator.everywhere("operator", Role.OPERATOR, false));

    @TempDir
    private Path directory;

    private SimulatedXxlJobAdmin admin;
    private ControlCenter center;
    private WebFixture web;
    private String recover;
    private String foreign;

    @BeforeEach
    void start() throws Exception {
        admin = new SimulatedXxlJobAdmin(Generation.FROM_3_3);
        recover = admin.addJob("orders", "outboxRecover", "Outbox: recover");
        foreign = admin.addJob("orders", "closeTheBooks", "of the application itself");
        OutboxTable orders = OutboxTable.on(EmbeddedH2.shared());
        center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(withJobs(orders.application(), admin))
                .application(OutboxTable.on(EmbeddedH2.shared(), "billing").application())
                .build();
        web = new WebFixture(new ControlCenterServlet(center, WebFixture.operators(OPERATORS)), directory);
    }

    static Application withJobs(Application application, SimulatedXxlJobAdmin admin) {
        return application.withJobs(XxlJobs.of(
                XxlJobAdmin.builder(admin.url(), application.name())
                        .login(SimulatedXxlJobAdmin.USER, SimulatedXxlJobAdmin.PASSWORD)
                        .build(),
                ""));
    }

    @AfterEach
    void stop() throws Exception {
        web.close();
        admin.close();
    }

    private HttpResponse<String> post(String path, String who, String body) throws Exception {
        return web.send("POST", "/api/v1/apps/" + path, who, body, SameOrigin.HEADER, "1");
    }

    private String stateOf(String id) {
        return admin.jobs().stream()
                .filter(job -> id.equals(job.get("id")))
                .map(job -> job.get("triggerStatus"))
                .findFirst()
                .orElse("");
    }

    @Test
    void theJobsOfTheOutboxAreListedAndNoOthers() throws Exception {
        HttpResponse<String> list = web.send("GET", "/api/v1/apps/orders/jobs", "viewer", null);
        assertThat(list.statusCode()).isEqualTo(200);
        assertThat(list.body())
                .contains("\"handler\":\"outboxRecover\"", "\"schedule\":\"FIX_RATE 30\"", "\"started\":true")
                .doesNotContain("closeTheBooks");
    }

    @Test
    void aJobIsStoppedStartedAndTriggeredAndAudited() throws Exception {
        String path = "orders/jobs/" + recover;
        assertThat(post(path + "/stop", "operator", "{\"reason\":\"INC-42\"}").statusCode())
                .isEqualTo(200);
        assertThat(stateOf(recover)).isEqualTo("0");
        assertThat(post(path + "/start", "operator", "{}").statusCode()).isEqualTo(200);
        assertThat(stateOf(recover)).isEqualTo("1");
        assertThat(post(path + "/trigger", "operator", "{}").statusCode()).isEqualTo(200);
        assertThat(admin.calls()).contains("/jobinfo/trigger");
        assertThat(center.audit().page(null, "orders", 10))
                .filteredOn(entry -> entry.action().startsWith("job."))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::target, AuditEntry::detail)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("operator", "job.trigger", "outboxRecover", null),
                        org.assertj.core.groups.Tuple.tuple("operator", "job.start", "outboxRecover", null),
                        org.assertj.core.groups.Tuple.tuple("operator", "job.stop", "outboxRecover", "INC-42"));
    }

    @Test
    void aViewerAndAForeignJobChangeNothing() throws Exception {
        assertThat(post("orders/jobs/" + recover + "/stop", "viewer", "{}").statusCode())
                .isEqualTo(403);
        assertThat(post("orders/jobs/" + foreign + "/stop", "operator", "{}").statusCode())
                .isEqualTo(404);
        assertThat(stateOf(recover) + stateOf(foreign)).isEqualTo("11");
    }

    @Test
    void withoutAnAdminThereAreNoJobs() throws Exception {
        assertThat(web.send("GET", "/api/v1/apps/billing/jobs", "operator", null)
                        .statusCode())
                .isEqualTo(404);
        assertThat(web.send("GET", "/api/v1/session", "operator", null).body())
                .contains("\"jobs\":true", "\"jobs\":false");
    }

    @Test
    void anAdminThatIsAwayIsSaidAndTheAttemptIsAudited() throws Exception {
        admin.close();
        HttpResponse<String> list = web.send("GET", "/api/v1/apps/orders/jobs", "viewer", null);
        assertThat(list.statusCode()).isEqualTo(502);
        assertThat(list.body()).contains("cannot be reached");
        assertThat(post("orders/jobs/" + recover + "/stop", "operator", "{}").statusCode())
                .isEqualTo(502);
        assertThat(center.audit().page(null, "orders", 1))
                .extracting(AuditEntry::outcome)
                .containsExactly("failed");
    }
}
