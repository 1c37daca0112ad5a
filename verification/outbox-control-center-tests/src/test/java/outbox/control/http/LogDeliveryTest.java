package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.control.OutboxTable.event;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.testing.server.EmbeddedH2;

/** Events that a relay delivers from the database's log: their rows stay new for ever. */
@Timeout(120)
class LogDeliveryTest {
    @TempDir
    private Path directory;

    @Test
    void whatIsDeliveredFromTheLogIsNotCalledUndelivered() throws Exception {
        OutboxTable orders = OutboxTable.on(EmbeddedH2.shared());
        String id = orders.insert(event("A", "1").build());
        orders.execute("UPDATE outbox_event SET available_at = TIMESTAMP '2026-01-01 00:00:00'");
        ControlCenter center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(orders.application().withDeliveryFromLog())
                .build();
        ControlCenterServlet servlet = new ControlCenterServlet(
                center, WebFixture.operators(Map.of("anna", Operator.everywhere("anna", Role.OPERATOR, false))));
        try (WebFixture web = new WebFixture(servlet, directory)) {
            assertThat(web.send("GET", "/api/v1/session", "anna", null).body()).contains("\"log\":true");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> center.source("orders").sampler().last() != null);
            assertThat(web.send("GET", "/api/v1/apps/orders/overview", "anna", null)
                            .body())
                    .contains("\"deliveredFromLog\":true")
                    .contains("\"oldestSeconds\":0.0");
            assertThat(web.send("GET", "/api/v1/apps/orders/doctor", "anna", null)
                            .body())
                    .as("rows that stay new are no backlog")
                    .contains("\"healthy\":true")
                    .doesNotContain("not delivered");
            HttpResponse<String> retry = web.send(
                    "POST", "/api/v1/apps/orders/events/" + id + "/retry", "anna", "{}", SameOrigin.HEADER, "1");
            assertThat(retry.statusCode()).isEqualTo(409);
            assertThat(retry.body())
                    .contains("it is delivered by CDC")
                    .contains("clone it")
                    .doesNotContain("has not been attempted yet");
        }
    }
}
