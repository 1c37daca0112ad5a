package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.control.source.Application;
import outbox.testing.server.EmbeddedH2;

@Timeout(120)
class DoctorRoutesTest {
    private static final String PATH = "/api/v1/apps/orders/doctor";

    @TempDir
    private Path directory;

    @Test
    void findingsAreShownAndKeptForAWhile() throws Exception {
        OutboxTable orders = OutboxTable.on(EmbeddedH2.shared());
        orders.dead(event("A", "1").build(), "gone");
        try (WebFixture web = web(orders.application())) {
            String first = web.send("GET", PATH, "viewer", null).body();
            assertThat(first)
                    .contains("\"code\":\"dead-letters\"")
                    .contains("1 event is DEAD: A 1")
                    .contains("\"healthy\":false")
                    .contains("SAME_TRANSACTION");
            orders.dead(event("B", "2").build(), "gone");
            assertThat(web.send("GET", PATH, "viewer", null).body()).isEqualTo(first);
        }
    }

    @Test
    void progressOfHandlersIsLookedForWhereTheApplicationKeepsIt() throws Exception {
        OutboxTable orders = OutboxTable.on(EmbeddedH2.shared());
        orders.execute("CREATE TABLE shop_progress (handler VARCHAR(64))");
        orders.execute("INSERT INTO shop_progress VALUES ('mailer')");
        try (WebFixture web = web(orders.application().withConsumptionTable("shop_progress"))) {
            assertThat(web.send("GET", PATH, "viewer", null).body())
                    .contains("handlers record processed events in shop_progress: mailer 1");
        }
    }

    private WebFixture web(Application application) throws Exception {
        ControlCenter center = ControlCenter.builder(application.dataSource(), new AuditKey(new byte[32]))
                .application(application)
                .build();
        Operator viewer = new Operator("viewer", Map.of("orders", Role.VIEWER), false);
        return new WebFixture(
                new ControlCenterServlet(center, WebFixture.operators(Map.of("viewer", viewer))), directory);
    }
}
