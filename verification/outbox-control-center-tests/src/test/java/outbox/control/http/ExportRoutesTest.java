package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
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
import outbox.testing.server.EmbeddedH2;

@Timeout(120)
class ExportRoutesTest {
    @TempDir
    private Path directory;

    private OutboxTable orders;
    private ControlCenter center;
    private WebFixture web;

    @BeforeEach
    void start() throws Exception {
        orders = OutboxTable.on(EmbeddedH2.shared());
        center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(orders.application())
                .build();
        web = new WebFixture(
                new ControlCenterServlet(
                        center, WebFixture.operators(Map.of("vera", Operator.everywhere("vera", Role.VIEWER, true)))),
                directory);
    }

    @AfterEach
    void stop() throws Exception {
        web.close();
    }

    private HttpResponse<String> export(String query) throws Exception {
        return web.send("GET", "/api/v1/apps/orders/export?" + query, "vera", null);
    }

    @Test
    void theFilteredEventsAreAFileWithoutPayloads() throws Exception {
        String dead = orders.dead(
                event("A", "1").payloadJson("{\"note\":\"only in the body\"}").build(), "java.io.IOException: away");
        orders.insert(event("B", "2").build());
        HttpResponse<String> file = export("state=dead&format=ndjson");
        assertThat(file.statusCode()).isEqualTo(200);
        assertThat(file.headers().firstValue("Content-Disposition")).hasValue("attachment; filename=\"orders.ndjson\"");
        assertThat(file.headers().firstValue(ExportRoutes.TRUNCATED)).hasValue("false");
        assertThat(file.body().lines())
                .singleElement()
                .asString()
                .contains(dead, "\"state\":\"dead\"", "IOException: away")
                .doesNotContain("only in the body", "payload");
    }

    @Test
    void whatIsExportedIsInTheAuditLogWithItsFilterAndNumber() throws Exception {
        for (int i = 0; i < 3; i++) {
            orders.insert(event("A", "k").build());
        }
        HttpResponse<String> file = export("type=A&format=csv&limit=2");
        assertThat(file.headers().firstValue(ExportRoutes.TRUNCATED)).hasValue("true");
        assertThat(file.body().lines()).hasSize(3);
        assertThat(center.audit().page(null, "orders", 10))
                .first()
                .satisfies(entry -> {
                    assertThat(List.of(entry.actor(), entry.action(), entry.outcome()))
                            .containsExactly("vera", "events.export", "ok");
                    assertThat(entry.detail()).isEqualTo("2 events, not all: type=A");
                })
                .extracting(AuditEntry::target)
                .isEqualTo("csv");
    }

    @Test
    void aCellIsNoFormula() throws Exception {
        orders.insert(
                event("=HYPERLINK(\"http://evil\")", "+1").tenantId("a\"b,c").build());
        assertThat(export("format=csv").body().lines().skip(1))
                .singleElement()
                .asString()
                .contains("\"'=HYPERLINK(\"\"http://evil\"\")\",\"Order\",\"'+1\",\"a\"\"b,c\"");
    }

    @Test
    void anotherFormatIsRefused() throws Exception {
        HttpResponse<String> answer = export("format=xls");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("format must be ndjson or csv");
    }
}
